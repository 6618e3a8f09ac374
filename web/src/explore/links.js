import { h } from './dom.js';
import { imagesAllowed } from './consent.js';
import { clean } from './texts.js';

// pageLink returns the address of a page of Explore: of all, a collection or a token.
export function pageLink({ address, tokenId } = {}, images = imagesAllowed()) {
  const parameters = new URLSearchParams();
  if (address) parameters.set('address', address);
  if (tokenId) parameters.set('token', tokenId);
  if (images) parameters.set('images', 'all');
  return parameters.size > 0 ? `/explore?${parameters}` : '/explore';
}

// queryLink returns the address at which GraphiQL opens a question.
export function queryLink({ query, variables }) {
  return `/?${new URLSearchParams({ query: query.trim(), variables: JSON.stringify(variables ?? {}, null, 2) })}`;
}

// outsideURL returns the http or https address at a public host that a text is, or null.
// Hosts without a public name are machines near the viewer, which no document may reach.
export function outsideURL(text) {
  const url = URL.canParse(text.trim()) && new URL(text.trim());
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && isPublic(url.hostname) ? url : null;
}

function isPublic(host) {
  return /\.[a-z][a-z0-9-]+$/i.test(host) && !/\.(localhost|local|internal|intranet|lan|home|arpa)$/i.test(host);
}

// outsideLink returns a link to an address that a document has, under its host's name, or
// else the text as it is.
export function outsideLink(text) {
  const url = outsideURL(text);
  if (!url) return h('bdi', { class: 'mono' }, clean(text, 200));
  return h('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow', title: clean(url.href, 300) }, `${url.host} ↗`);
}
