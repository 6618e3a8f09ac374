// Tests Relay: the compiler accepts the schema and paginated queries, and the hooks run
// the compiled queries.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Suspense, createElement as h } from 'react';
import { RelayEnvironmentProvider } from 'react-relay';
import { create } from 'react-test-renderer';
import { Environment, Network, RecordSource, Store } from 'relay-runtime';

import { compile } from './relay/compile.js';
import { SIZE, allCollections, largestCollection, url } from './server.js';

// environmentOf returns an environment that queries the server and adds each query to sent.
function environmentOf(sent) {
  const ask = async ({ name, text }, variables) => {
    sent.push({ name, text, variables });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  };
  return new Environment({ network: Network.create(ask), store: new Store(new RecordSource()) });
}

// until waits until shown returns true.
async function until(shown) {
  for (const end = Date.now() + 30_000; !shown(); ) {
    assert.ok(Date.now() < end, 'the expected items were not shown within 30 seconds');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

before(compile);

// walk renders an element that shows a connection and loads all its pages. It checks the
// ids that are shown at the end, and the queries that were sent.
async function walk(t, element, size, ids, pageQuery) {
  const sent = [];
  const page = create(h(RelayEnvironmentProvider, { environment: environmentOf(sent) }, h(Suspense, { fallback: null }, element)));
  t.after(() => page.unmount());
  const shown = () => page.root.findAllByType('li').map(({ props }) => props.id);
  const button = () => page.root.findByType('button').props;
  await until(() => page.toJSON() !== null);
  for (let length = size; button()['data-has-next']; length = shown().length) {
    assert.equal(shown().length, length);
    button().onClick(size);
    await until(() => shown().length > length && (!button().disabled || !button()['data-has-next']));
  }
  assert.deepEqual(shown(), ids);
  assert.equal(button()['data-total'], ids.length);
  assert.equal(sent.length, Math.ceil(ids.length / size));
  assert.equal(sent.at(-1).name, pageQuery);
  return { page, sent, shown };
}

test('usePaginationFragment pages through collections, and through the tokens of one', async (t) => {
  const { Collections, Tokens } = await import('./relay/collections.js');
  const { ids, largest } = await allCollections();
  await walk(t, h(Collections, { count: 2 }), 2, ids, 'collectionsListPageQuery');
  const tokens = h(Tokens, { address: largest.address, count: SIZE });
  const { sent } = await walk(t, tokens, SIZE, largest.tokens, 'collectionsTokensPageQuery');
  assert.match(sent[1].text, /node\(id: \$id\)/);
  assert.equal(sent[1].variables.id, largest.id);
});

test('usePaginationFragment pages through a collection, and node refetches an object', async (t) => {
  const { Collection } = await import('./relay/collection.js');
  const { address, ids } = await largestCollection();
  const { page, sent, shown } = await walk(t, h(Collection, { address, count: SIZE }), SIZE, ids, 'collectionMintsPageQuery');

  sent.length = 0;
  const item = page.root.findAllByType('li')[1].props;
  const refetched = new Promise((resolve) => {
    item.onClick({}, { fetchPolicy: 'network-only', onComplete: resolve });
  });
  assert.equal(await refetched, null);
  assert.deepEqual(shown(), ids);
  assert.equal(sent.length, 1);
  assert.equal(sent[0].name, 'collectionMintAgainQuery');
  assert.match(sent[0].text, /node\(id: \$id\)/);
  assert.equal(sent[0].variables.id, ids[1]);
});
