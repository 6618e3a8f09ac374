import { useState } from 'preact/hooks';

import { allowImages, imagesAllowed } from './consent.js';
import { imageOf } from './images.js';
import { gateways } from './page.js';
import { countOf, short } from './texts.js';

// Picture is the image of a document in a square, above a tile with the token's id in a colour
// derived from the token. If the viewer allowed images from other hosts, it is loaded from the first
// URL that works; otherwise the tile names the host.
export function Picture({ address, tokenId = '', name, metadata }) {
  const { inline, urls } = imageOf(metadata, gateways);
  const sources = inline ? [inline] : urls && imagesAllowed() ? urls : [];
  const [{ failed, loaded }, set] = useState({ failed: 0, loaded: false });
  const note = failed > 0 && failed >= sources.length ? 'image not available' : urls && sources.length === 0 && new URL(urls[0]).host;
  const color = metadata?.backgroundColor ?? '';
  return (
    <div class="picture" style={/^[0-9a-f]{6}$/i.test(color) ? { backgroundColor: `#${color}` } : undefined}>
      {!loaded && (
        <span class="token-tile" aria-hidden="true" style={{ '--hue': String(hueOf(address + tokenId)) }}>
          {tokenId && `#${short(tokenId)}`}
        </span>
      )}
      {failed < sources.length && (
        <img
          key={failed}
          alt={name}
          class={loaded ? undefined : 'loading'}
          loading="lazy"
          decoding="async"
          src={sources[failed]}
          onLoad={() => set({ failed, loaded: true })}
          onError={() => set({ failed: failed + 1, loaded: false })}
        />
      )}
      {note && <span class="host">{note}</span>}
    </div>
  );
}

function hueOf(text) {
  let hash = 0;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash % 360;
}

// ImageNotice names the other hosts of the images of documents, and lets the viewer load or hide
// these images.
export function ImageNotice({ documents }) {
  const hosts = documents.map((metadata) => imageOf(metadata, gateways).urls?.[0]).filter(Boolean).map((url) => new URL(url).host);
  if (hosts.length === 0) return null;
  const different = [...new Set(hosts)];
  const names = different.slice(0, 5).join(', ') + (different.length > 5 ? ` and ${different.length - 5} more` : '');
  const allowed = imagesAllowed();
  const choose = () => {
    allowImages(!allowed);
    const url = new URL(location.href);
    if (allowed) url.searchParams.delete('images');
    else url.searchParams.set('images', 'all');
    // The server sends another policy there.
    location.assign(url);
  };
  return (
    <div class="notice">
      <p>
        {countOf(hosts.length, 'image')} from other hosts{allowed ? `: ${names}.` : ` not loaded: ${names}. A host sees your IP address when you load its images.`}
      </p>
      <button type="button" onClick={choose}>
        {allowed ? 'Hide them' : 'Load them'}
      </button>
    </div>
  );
}
