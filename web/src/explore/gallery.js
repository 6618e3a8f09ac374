import { withFewer } from './api.js';
import { allowImages, imagesAllowed } from './consent.js';
import { h } from './dom.js';
import { imageOf } from './images.js';
import { pageLink } from './links.js';
import { picture } from './picture.js';
import { problemBox } from './section.js';
import { clean, count, countOf, iso, moment, short } from './texts.js';

// gallery shows a page of a connection as cards, with a button that adds the next page.
// field is the connection's name, and what names one item. card creates a card, and counts
// the host of its image in the second argument. questionAfter returns the query for the
// page after a cursor.
export function gallery({ page, field, what, card, ask, questionAfter }) {
  const list = h('ul', { class: 'gallery' });
  const notice = h('div');
  const more = h('div', { class: 'more' });
  const hosts = new Map();

  const add = ({ [field]: { data, cursor, totalItems } }) => {
    const cards = data.map((item) => card(item, hosts));
    list.append(...cards);
    notice.replaceChildren(...imageNotice(hosts));
    const next = cursor && h('button', { type: 'button', onclick: () => addNext(cursor) }, 'Show more');
    const left = `${count(list.children.length)} of ${countOf(totalItems, what)}`;
    more.replaceChildren(...[next, h('span', { class: 'soft', role: 'status' }, left)].filter(Boolean));
    return cards;
  };
  const addNext = async (cursor) => {
    more.replaceChildren(h('p', { class: 'soft', role: 'status' }, 'Loading…'));
    try {
      const [first] = add(await withFewer(ask, questionAfter(cursor)));
      first?.querySelector('a').focus({ preventScroll: true });
    } catch (problem) {
      more.replaceChildren(problemBox(problem, () => addNext(cursor)));
    }
  };

  add(page);
  return list.children.length > 0 ? [notice, list, more] : [h('p', { class: 'soft' }, `No ${what} is indexed.`)];
}

// pictureOf shows a token's image. If the image is at another host, it counts the host.
function pictureOf({ address, tokenId, metadata, name }, gateways, hosts) {
  const image = imageOf(metadata, gateways);
  if (image.urls) {
    const { host } = new URL(image.urls[0]);
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  return picture({ address, tokenId, name, image, backgroundColor: metadata?.backgroundColor });
}

// mintCards creates cards of mints. With ofOne, all are of one collection, and the cards do
// not name it.
export const mintCards = (gateways, ofOne) => (mint, hosts) => {
  const { tokenAddress: address, tokenId, metadata } = mint;
  const name = nameOf(metadata, tokenId);
  return h(
    'li',
    { class: 'card' },
    h('a', { href: pageLink({ address, tokenId }) }, pictureOf({ address, tokenId, metadata, name }, gateways, hosts), h('bdi', { class: 'card-name' }, name)),
    h(
      'p',
      { class: 'soft' },
      !ofOne && h('a', { class: 'mono', href: pageLink({ address }), title: address }, short(address)),
      mint.amount !== '1' && h('span', { class: 'amount', title: count(mint.amount) }, `× ${short(count(mint.amount))}`),
    ),
    h('p', { class: 'soft' }, h('time', { datetime: iso(mint.blockTime) }, moment(mint.blockTime))),
  );
};

// collectionCards creates cards of collections, each with the image of its newest mint.
export const collectionCards = (gateways) => ({ address, contractType, firstMint, mints }, hosts) => {
  const [newest] = mints.data;
  const { tokenId, metadata } = newest ?? { tokenId: '' };
  return h(
    'li',
    { class: 'card' },
    h(
      'a',
      { href: pageLink({ address }) },
      pictureOf({ address, tokenId, metadata, name: 'newest mint of the collection' }, gateways, hosts),
      h('span', { class: 'card-name mono' }, short(address)),
    ),
    h('p', { class: 'soft' }, h('span', null, countOf(mints.totalItems, 'mint')), h('span', null, standardOf(contractType))),
    firstMint && h('p', { class: 'soft' }, h('time', { datetime: iso(firstMint.blockTime) }, moment(firstMint.blockTime))),
  );
};

// standardOf returns the name of a contract's standard.
export function standardOf(contractType) {
  return contractType === 'ERC1155' ? 'ERC-1155' : 'ERC-721';
}

// nameOf returns the name of a token, or its id.
export function nameOf(metadata, tokenId) {
  return clean(metadata?.name ?? '', 120) || `#${short(tokenId)}`;
}

// imageNotice names the hosts of images and lets the viewer load or hide the images. hosts
// maps each host to its number of images.
export function imageNotice(hosts) {
  if (hosts.size === 0) return [];
  const images = countOf([...hosts.values()].reduce((sum, number) => sum + number), 'image');
  const names = [...hosts.keys()].slice(0, 5).join(', ') + (hosts.size > 5 ? ` and ${hosts.size - 5} more` : '');
  const choose = (allowed) => () => {
    allowImages(allowed);
    const parameters = new URLSearchParams(location.search);
    if (allowed) parameters.set('images', 'all');
    else parameters.delete('images');
    location.assign(`explore?${parameters}`);
  };
  const allowed = imagesAllowed();
  return [
    h(
      'div',
      { class: 'notice' },
      h(
        'p',
        null,
        allowed
          ? `${images} from other hosts: ${names}.`
          : `${images} from other hosts not loaded: ${names}. A host sees your IP address when you load its images.`,
      ),
      h('button', { type: 'button', onclick: choose(!allowed) }, allowed ? 'Hide them' : 'Load them'),
    ),
  ];
}
