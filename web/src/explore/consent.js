import { stored } from './storage.js';

// Whether images of other hosts are loaded. Two things must come together: the address
// has images=all, for which the server sends a policy that allows them, and the viewer has
// asked for them in this tab. A link from elsewhere can bring the first only.
const KEY = 'mintburn:images';

export function imagesAllowed() {
  return new URLSearchParams(location.search).get('images') === 'all' && stored('sessionStorage', KEY) === 'all';
}

export function allowImages(allowed) {
  if (allowed) sessionStorage.setItem(KEY, 'all');
  else sessionStorage.removeItem(KEY);
}
