// Explore: the chain, a collection or a token, by the address. Each page is a document of
// its own, and each part of it asks for itself.
import '../header.css';
import './explore.css';

import { activityView } from './activity.js';
import { asker, withFewer } from './api.js';
import { chainView } from './state.js';
import { documentView } from './document.js';
import { gallery, nameOf } from './gallery.js';
import { h } from './dom.js';
import { historyView } from './history.js';
import { imagesAllowed } from './consent.js';
import { chainState, coverage, newestMints, tokenDocument, tokenHistory, totals } from './queries.js';
import { section } from './section.js';
import { stored } from './storage.js';
import { tiles } from './tiles.js';
import { clean, count, moment, short } from './texts.js';
import { pageLink } from './links.js';

const data = JSON.parse(document.getElementById('page-data').textContent);
const gateways = { ipfs: data.gateways.ipfs ?? [], arweave: data.gateways.arweave ?? [] };
const ask = asker(data.endpoint);
const parameters = new URLSearchParams(location.search);
const address = parameters.get('address')?.trim();
const tokenId = parameters.get('token')?.trim();

// CARDS is the number of cards of a page, ENTRIES that of a token's history.
const CARDS = 24;
const ENTRIES = 20;

function mintsSection({ title, address }) {
  const questionAfter = (after) => newestMints({ address, first: CARDS, after });
  return section({
    id: 'mints',
    title,
    question: questionAfter(),
    ask: (question) => withFewer(ask, question),
    show: (page) => gallery({ page, ask, questionAfter, gateways, ofOne: Boolean(address) }),
  });
}

function activitySection(address) {
  const show = (answer, linkTo) => activityView({ chain: answer.chain, address, ask, linkTo });
  return section({ id: 'activity', title: 'Mints and burns', question: coverage(), ask, show });
}

function overview() {
  return [
    heading('What this server knows'),
    section({ id: 'chain', title: 'Chain', question: chainState(), ask, show: chainView }),
    activitySection(),
    mintsSection({ title: 'Newest mints' }),
  ];
}

function collectionPage() {
  const show = ({ mints, burns, tokenMetadata }) => {
    const [first] = mints.data;
    return tiles([
      ['Mints', count(mints.totalItems), first && `first ${moment(first.blockTime)}`],
      ['Burns', count(burns.totalItems)],
      ['Tokens with a document', count(tokenMetadata.totalItems)],
      ['Standard', first?.contractType === 'ERC1155' ? 'ERC-1155' : first ? 'ERC-721' : 'not known'],
    ]);
  };
  return [
    heading(`Collection ${short(clean(address, 80))}`, h('p', { class: 'mono soft' }, clean(address, 80))),
    section({ id: 'totals', title: 'Totals', question: totals({ address }), ask, show }),
    activitySection(address),
    mintsSection({ title: 'Newest mints', address }),
  ];
}

function tokenPage() {
  const head = heading(
    `Token #${short(clean(tokenId, 90))}`,
    h('p', { class: 'soft' }, 'Collection ', h('a', { class: 'mono', href: pageLink({ address }) }, clean(address, 80)), ', id ', h('span', { class: 'mono' }, clean(tokenId, 90))),
  );
  const showDocument = ({ tokenMetadata }) => {
    const [metadata] = tokenMetadata.data;
    head.querySelector('h1').replaceChildren(h('bdi', null, nameOf(metadata, tokenId)));
    return documentView({ address, tokenId, metadata, gateways });
  };
  const questionAfter = (afterMint, afterBurn) => tokenHistory({ address, tokenId, first: ENTRIES, afterMint, afterBurn });
  return [
    head,
    section({ id: 'document', title: 'Metadata', question: tokenDocument({ address, tokenId }), ask, show: showDocument }),
    section({ id: 'history', title: 'History', question: questionAfter(), ask, show: (answer) => historyView({ answer, ask, questionAfter }) }),
  ];
}

function heading(title, ...more) {
  return h('div', { class: 'heading' }, h('h1', null, title), more);
}

function search() {
  const field = (name, label, attributes) => h('label', null, h('span', null, label), h('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes }));
  return h(
    'form',
    { class: 'search', action: '/explore', role: 'search' },
    field('address', 'Collection', { required: true, pattern: '\\s*0[xX][0-9a-fA-F]{40}\\s*', placeholder: '0x… (40 hex digits)', value: address, title: '0x and 40 hex digits' }),
    field('token', 'Token id', { pattern: '\\s*([0-9]+|0[xX][0-9a-fA-F]+)\\s*', placeholder: 'any', value: tokenId, title: 'a number, or 0x and hex digits' }),
    imagesAllowed() && h('input', { type: 'hidden', name: 'images', value: 'all' }),
    h('button', null, 'Show'),
  );
}

// GraphiQL's setting holds here too.
const theme = stored('localStorage', 'mintburn:graphiql:theme');
if (theme === 'light' || theme === 'dark') document.body.classList.add(`graphiql-${theme}`);

const parts = !address ? overview() : !tokenId ? collectionPage() : tokenPage();
document.getElementById('view').replaceChildren(h('div', { class: 'explore' }, search(), parts));
