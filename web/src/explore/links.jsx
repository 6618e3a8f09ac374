import { explorerLink, outsideURL, pageLink } from './links.js';
import { useName } from './names.js';
import { clean, count, short } from './texts.js';

// OutsideLink is a link to a URL from a document, labelled with its host, or the text if it is no
// public URL.
export function OutsideLink({ url: text }) {
  const url = outsideURL(text);
  if (!url) return <bdi class="mono">{clean(text, 200)}</bdi>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={clean(url.href, 300)}>
      {url.host} ↗
    </a>
  );
}

// Out is a small link to a path of the block explorer, if one is configured.
export function Out({ path }) {
  const href = explorerLink(path);
  return href && <a class="out" href={href} target="_blank" rel="noopener noreferrer" aria-label={`${path.split('/')[0]} at the block explorer`} title={href}>↗</a>;
}

// CollectionLink is a link to a collection by its name, if it has one.
export function CollectionLink({ address }) {
  const name = clean(useName(address) ?? '', 80);
  return (
    <a class={name ? undefined : 'mono'} href={pageLink(address)} title={address}>
      {name ? <bdi>{name}</bdi> : short(address)}
    </a>
  );
}

// Links to the pages of things. A long name is shortened; the whole is its title.
export const AccountLink = ({ address }) => <a class="mono" href={pageLink(`account/${address}`)} title={address}>{short(address)}</a>;
export const TxLink = ({ hash }) => <a class="mono" href={pageLink(`tx/${hash}`)} title={hash}>{short(hash)}</a>;
export const BlockLink = ({ number }) => <a class="number" href={pageLink(`block/${number}`)}>{count(number)}</a>;
