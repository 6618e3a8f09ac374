import { h } from './dom.js';
import { imageNotice, nameOf } from './gallery.js';
import { imageOf } from './images.js';
import { outsideLink } from './links.js';
import { picture } from './picture.js';
import { clean, count, countOf, moment } from './texts.js';

// MAX_ATTRIBUTES is the number of traits that are shown.
const MAX_ATTRIBUTES = 100;

// documentView shows a token's document.
export function documentView({ address, tokenId, metadata, gateways }) {
  const image = imageOf(metadata, gateways);
  const hosts = new Map(image.urls ? [[new URL(image.urls[0]).host, 1]] : []);
  const name = nameOf(metadata, tokenId);
  return h(
    'div',
    { class: 'token' },
    h('div', null, picture({ address, tokenId, name, image, backgroundColor: metadata?.backgroundColor }), imageNotice(hosts)),
    metadata ? facts(metadata) : h('p', { class: 'soft' }, 'The document of this token has not been fetched yet.'),
  );
}

function facts(metadata) {
  const { attributes } = metadata;
  const rows = [
    ['Document', stateOf(metadata)],
    metadata.uri && ['Token URI', outsideLink(metadata.uri)],
    metadata.externalUrl && ['Website', outsideLink(metadata.externalUrl)],
    metadata.animationUrl && ['Animation', outsideLink(metadata.animationUrl)],
    metadata.youtubeUrl && ['Video', outsideLink(metadata.youtubeUrl)],
    metadata.updatedAt > 0 && ['Changed', moment(metadata.updatedAt)],
  ].filter(Boolean);
  return h(
    'div',
    null,
    metadata.description && h('p', { class: 'description', tabindex: '0' }, h('bdi', null, clean(metadata.description, 5000))),
    attributes.length > 0 &&
      h(
        'ul',
        { class: 'traits', 'aria-label': 'Traits' },
        attributes.slice(0, MAX_ATTRIBUTES).map(({ traitType, value, maxValue, traitCount }) =>
          h(
            'li',
            null,
            h('bdi', { class: 'soft' }, clean(traitType, 60)),
            h('bdi', { class: 'value' }, clean(value, 120), maxValue !== null && ` of ${maxValue}`),
            h('span', { class: 'soft' }, `one of ${countOf(traitCount, 'value')}`),
          ),
        ),
      ),
    attributes.length > MAX_ATTRIBUTES && h('p', { class: 'soft' }, `${count(attributes.length - MAX_ATTRIBUTES)} more traits; the query returns all of them.`),
    h(
      'dl',
      { class: 'facts' },
      rows.map(([label, value]) => [h('dt', null, label), h('dd', null, value)]),
    ),
  );
}

function stateOf({ state, error, fetchedAt }) {
  const at = moment(fetchedAt);
  if (state === 'RESOLVED') return `fetched ${at}`;
  if (state === 'PENDING') return `fetched ${at}; a newer version may exist`;
  return [`last attempt failed ${at}: `, h('bdi', null, clean(error ?? '', 300))];
}
