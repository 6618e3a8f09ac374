import { stored } from './storage.js';

// Images from other hosts are loaded only if the URL has images=all, for which the server
// sends a content security policy that allows them, and the viewer chose to load them in
// this tab. A link from another site can do only the first.
const KEY = 'mintburn:images';

export function imagesAllowed() {
  return new URLSearchParams(location.search).get('images') === 'all' && stored('sessionStorage', KEY) === 'all';
}

export function allowImages(allowed) {
  if (allowed) sessionStorage.setItem(KEY, 'all');
  else sessionStorage.removeItem(KEY);
}
