import { h } from './dom.js';
import { imagesAllowed } from './consent.js';
import { short } from './texts.js';

// picture returns the image of a token in a square, or a tile with its id. If the viewer
// allowed images from other hosts, it is loaded from the first URL that works; otherwise
// the tile names the host.
export function picture({ address, tokenId, name, image, backgroundColor }) {
  const frame = h('div', { class: 'picture' }, tile(address, tokenId));
  if (/^[0-9a-f]{6}$/i.test(backgroundColor ?? '')) frame.style.backgroundColor = `#${backgroundColor}`;
  if (image.inline) load(frame, [image.inline], name);
  else if (image.urls && imagesAllowed()) load(frame, image.urls, name);
  else if (image.urls) frame.append(h('span', { class: 'host' }, new URL(image.urls[0]).host));
  return frame;
}

// load covers the tile with the first image that can be drawn.
function load(frame, [source, ...others], name) {
  const image = h('img', { alt: name, loading: 'lazy', decoding: 'async' });
  image.addEventListener('error', () => {
    image.remove();
    if (others.length > 0) load(frame, others, name);
    else frame.append(h('span', { class: 'host' }, 'image not available'));
  });
  image.src = source;
  frame.append(image);
}

// tile returns the placeholder for a token without an image, in a colour derived from the
// token.
function tile(address, tokenId) {
  const text = h('span', { class: 'token-tile', 'aria-hidden': 'true' }, `#${short(tokenId)}`);
  let hash = 0;
  for (const character of address + tokenId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  text.style.setProperty('--hue', hash % 360);
  return text;
}
