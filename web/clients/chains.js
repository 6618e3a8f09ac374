// Tests clients of a server with the chains demo and other: one client, and one cache, for each. The
// server is at MINTBURN_URL.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { ApolloClient, ApolloLink, InMemoryCache, gql } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { createElement as h } from 'react';
import { create } from 'react-test-renderer';
import { Environment, Network, RecordSource, Store, fetchQuery } from 'relay-runtime';

import { compile } from './relay/compile.js';

const base = process.env.MINTBURN_URL.replace(/\/$/, '');
const chains = ['demo', 'other'];

const TOTAL = gql`
  query ChainsApollo {
    mints(first: 0) {
      totalItems
    }
  }
`;

// totals has the number of mints of each chain, which differ.
const totals = {};

before(async () => {
  compile();
  for (const chain of chains) {
    const response = await fetch(`${base}/${chain}/graphql?query={mints(first:0){totalItems}}`);
    totals[chain] = (await response.json()).data.mints.totalItems;
  }
  assert.notEqual(totals.demo, totals.other);
});

test('an ApolloClient for each chain, with one request for all', async (t) => {
  const sent = [];
  const fetch = (input, init) => {
    sent.push(JSON.parse(init.body));
    return globalThis.fetch(input, init);
  };
  const uri = `${base}/graphql`;
  // The clients share this link, so one request has the operations of all chains.
  const http = new BatchHttpLink({ uri, fetch, includeExtensions: true });

  // The operation names its chain.
  const named = (chain) =>
    new ApolloLink((operation, forward) => {
      operation.extensions.chain = chain;
      return forward(operation);
    });

  // Each chain needs a cache of its own.
  const clients = Object.fromEntries(
    chains.map((chain) => [chain, new ApolloClient({ link: ApolloLink.from([named(chain), http]), cache: new InMemoryCache() })]),
  );

  function Total({ chain }) {
    const { data } = useQuery(TOTAL, { client: clients[chain] });
    return h('li', { chain, total: data?.mints.totalItems });
  }

  const list = create(h(ApolloProvider, { client: clients.demo }, ...chains.map((chain) => h(Total, { chain, key: chain }))));
  t.after(() => list.unmount());
  const shown = () => Object.fromEntries(list.root.findAllByType('li').map(({ props }) => [props.chain, props.total]));
  for (const end = Date.now() + 30_000; list.toJSON() === null || Object.values(shown()).includes(undefined); ) {
    assert.ok(Date.now() < end, 'the totals were not shown within 30 seconds');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual(shown(), totals);
  assert.deepEqual(sent.map((request) => request.map(({ extensions }) => extensions.chain)), [chains]);
  for (const chain of chains) assert.equal(clients[chain].readQuery({ query: TOTAL }).mints.totalItems, totals[chain]);
});

test('a urql client for each chain', async () => {
  const clients = Object.fromEntries(
    chains.map((chain) => [
      chain,
      new Client({ url: `${base}/${chain}/graphql`, preferGetMethod: false, exchanges: [cacheExchange(), fetchExchange] }),
    ]),
  );

  for (const requestPolicy of ['cache-first', 'cache-only']) {
    for (const chain of chains) {
      const { data } = await clients[chain].query('query ChainsUrql { mints(first: 0) { totalItems } }', {}, { requestPolicy }).toPromise();
      assert.equal(data.mints.totalItems, totals[chain]);
    }
  }
});

test('a Relay environment for each chain', async () => {
  const { totalQuery } = await import('./relay/chains.js');
  const environmentOf = (chain) => {
    const ask = async ({ text }, variables) => {
      const response = await fetch(`${base}/${chain}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    };
    return new Environment({ network: Network.create(ask), store: new Store(new RecordSource()) });
  };
  const environments = Object.fromEntries(chains.map((chain) => [chain, environmentOf(chain)]));

  for (const chain of chains) {
    const { mints } = await fetchQuery(environments[chain], totalQuery, {}).toPromise();
    assert.equal(mints.totalItems, totals[chain]);
  }
});
