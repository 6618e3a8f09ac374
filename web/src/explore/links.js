import { h } from './dom.js';
import { imagesAllowed } from './consent.js';
import { clean } from './texts.js';

// pageLink returns the relative URL of a page of Explore: the chain, a collection or a token.
export function pageLink({ address, tokenId } = {}, images = imagesAllowed()) {
  const parameters = new URLSearchParams();
  if (address) parameters.set('address', address);
  if (tokenId) parameters.set('token', tokenId);
  if (images) parameters.set('images', 'all');
  return parameters.size > 0 ? `explore?${parameters}` : 'explore';
}

// queryLink returns the relative URL at which GraphiQL opens a query.
export function queryLink({ query, variables }) {
  return `./?${new URLSearchParams({ query: query.trim(), variables: JSON.stringify(variables ?? {}, null, 2) })}`;
}

// outsideURL parses a text as an http or https URL of a public host, and returns null for
// any other text. Hosts without a public name are in the viewer's network, which no
// document may reach.
export function outsideURL(text) {
  const url = URL.canParse(text.trim()) && new URL(text.trim());
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && isPublic(url.hostname) ? url : null;
}

function isPublic(host) {
  return /\.[a-z][a-z0-9-]+$/i.test(host) && !/\.(localhost|local|internal|intranet|lan|home|arpa)$/i.test(host);
}

// outsideLink returns a link for a URL from a document, labelled with its host, or the
// text if it is not a public URL.
export function outsideLink(text) {
  const url = outsideURL(text);
  if (!url) return h('bdi', { class: 'mono' }, clean(text, 200));
  return h('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow', title: clean(url.href, 300) }, `${url.host} ↗`);
}
