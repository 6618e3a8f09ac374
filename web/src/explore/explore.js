// Explore: the chain, a collection or a token, depending on the URL. Each page is a separate
// document, and each section of it sends its own query.
import '../header.css';
import './explore.css';

import { activityView } from './activity.js';
import { asker, withFewer } from './api.js';
import { chainView } from './state.js';
import { documentView } from './document.js';
import { collectionCards, gallery, mintCards, nameOf, standardOf } from './gallery.js';
import { h } from './dom.js';
import { historyView } from './history.js';
import { imagesAllowed } from './consent.js';
import { chainState, collection, coverage, newestCollections, newestMints, tokenDocument, tokenHistory } from './queries.js';
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

// Page sizes: CARDS of mints, COLLECTIONS of collections, ENTRIES of a token's history.
const CARDS = 24;
const COLLECTIONS = 6;
const ENTRIES = 20;

function gallerySection({ id, title, field, what, card, questionAfter }) {
  const show = (page) => gallery({ page, field, what, card, ask, questionAfter });
  return section({ id, title, question: questionAfter(), ask: (question) => withFewer(ask, question), show });
}

const mintsSection = (address) =>
  gallerySection({
    id: 'mints',
    title: 'Newest mints',
    field: 'mints',
    what: 'mint',
    card: mintCards(gateways, Boolean(address)),
    questionAfter: (after) => newestMints({ address, first: CARDS, after }),
  });

const collectionsSection = () =>
  gallerySection({
    id: 'collections',
    title: 'Newest collections',
    field: 'collections',
    what: 'collection',
    card: collectionCards(gateways),
    questionAfter: (after) => newestCollections({ first: COLLECTIONS, after }),
  });

function activitySection(address) {
  const show = (answer, linkTo) => activityView({ chain: answer.chain, address, ask, linkTo });
  return section({ id: 'activity', title: 'Mints and burns', question: coverage(), ask, show });
}

function overview() {
  return [
    heading('The indexed chain'),
    section({ id: 'chain', title: 'Chain', question: chainState(), ask, show: chainView }),
    activitySection(),
    collectionsSection(),
    mintsSection(),
  ];
}

function collectionPage() {
  const show = ({ collection: found }) => {
    if (!found) return h('p', { class: 'soft' }, 'This collection has no mints or burns.');
    const { contractType, mints, burns, supply, firstMint, documents } = found;
    const others = ['pending', 'failed', 'untried'].filter((state) => documents[state] > 0).map((state) => `${count(documents[state])} ${state}`);
    return tiles([
      ['Mints', count(mints.totalItems), firstMint && `first ${moment(firstMint.blockTime)}`],
      ['Burns', count(burns.totalItems)],
      ['Supply', supply === null ? 'unknown' : count(supply), supply === null ? 'not all blocks are indexed' : 'minted minus burned'],
      ['Tokens with a document', count(documents.resolved), others.join(', ')],
      ['Standard', standardOf(contractType)],
    ]);
  };
  return [
    heading(`Collection ${short(clean(address, 80))}`, h('p', { class: 'mono soft' }, clean(address, 80))),
    section({ id: 'totals', title: 'Totals', question: collection({ address }), ask, show }),
    activitySection(address),
    mintsSection(address),
  ];
}

function tokenPage() {
  const head = heading(
    `Token #${short(clean(tokenId, 90))}`,
    h('p', { class: 'soft' }, 'Collection ', h('a', { class: 'mono', href: pageLink({ address }) }, clean(address, 80)), ', id ', h('span', { class: 'mono' }, clean(tokenId, 90))),
  );
  const showDocument = ({ token, tokenMetadata }) => {
    if (!tokenMetadata) return h('p', { class: 'soft' }, 'No block is indexed yet.');
    const [metadata] = tokenMetadata.data;
    head.querySelector('h1').replaceChildren(h('bdi', null, nameOf(metadata, tokenId)));
    return [stateOf(token), documentView({ address, tokenId, metadata, gateways })];
  };
  const questionAfter = (afterMint, afterBurn) => tokenHistory({ address, tokenId, first: ENTRIES, afterMint, afterBurn });
  return [
    head,
    // If blocks are missing, the token's state is unknown, but it may have a document.
    section({ id: 'document', title: 'Token', question: tokenDocument({ address, tokenId }), ask: (question) => ask(question, 'BLOCK_NOT_INDEXED'), show: showDocument }),
    section({ id: 'history', title: 'History', question: questionAfter(), ask, show: (answer) => historyView({ answer, ask, questionAfter }) }),
  ];
}

const STATES = { EXISTS: 'exists', BURNED: 'burned', UNKNOWN: 'unknown' };

function stateOf(token) {
  if (!token) return h('p', { class: 'soft' }, 'No mint or burn of this token is indexed.');
  const amount = (value) => (value === null ? 'unknown' : short(count(value)));
  return tiles([
    ['State', STATES[token.state]],
    ['Standard', standardOf(token.contractType)],
    ['Minted', amount(token.minted)],
    ['Burned', amount(token.burned)],
    ['Supply', amount(token.supply)],
  ]);
}

function heading(title, ...more) {
  return h('div', { class: 'heading' }, h('h1', null, title), more);
}

function search() {
  const field = (name, label, attributes) => h('label', null, h('span', null, label), h('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes }));
  return h(
    'form',
    { class: 'search', action: 'explore', role: 'search' },
    field('address', 'Collection', { required: true, pattern: '\\s*0[xX][0-9a-fA-F]{40}\\s*', placeholder: '0x… (40 hex digits)', value: address, title: '0x and 40 hex digits' }),
    field('token', 'Token id', { pattern: '\\s*([0-9]+|0[xX][0-9a-fA-F]+)\\s*', placeholder: 'any', value: tokenId, title: 'a number, or 0x and hex digits' }),
    imagesAllowed() && h('input', { type: 'hidden', name: 'images', value: 'all' }),
    h('button', null, 'Show'),
  );
}

// GraphiQL's theme setting applies here too.
const theme = stored('localStorage', 'mintburn:graphiql:theme');
if (theme === 'light' || theme === 'dark') document.body.classList.add(`graphiql-${theme}`);

const parts = !address ? overview() : !tokenId ? collectionPage() : tokenPage();
document.getElementById('view').replaceChildren(h('div', { class: 'explore' }, search(), parts));
