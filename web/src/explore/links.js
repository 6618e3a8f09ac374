import { imagesAllowed } from './consent.js';
import { data, root } from './page.js';

// pageLink returns the URL of a page of Explore by its path below /explore/, such as 0x…/7.
export function pageLink(path = '', query = {}, images = imagesAllowed()) {
  const parameters = new URLSearchParams({ ...query, ...(images && { images: 'all' }) });
  return `${root}explore${path && '/'}${path}${parameters.size > 0 ? '?' : ''}${parameters}`;
}

// queryLink returns the URL at which GraphiQL opens a query.
export function queryLink({ query, variables }) {
  return `${root}?${new URLSearchParams({ query: query.trim(), variables: JSON.stringify(variables ?? {}, null, 2) })}`;
}

// explorerLink returns the URL of a path of EIP-3091 at the configured block explorer, or null.
export function explorerLink(path) {
  return data.explorerUrl ? `${data.explorerUrl}/${path}` : null;
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
