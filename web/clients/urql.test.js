// Tests urql with pages in graphcache, and with persisted queries.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { persistedExchange } from '@urql/exchange-persisted';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema } from 'graphql';

import { COLLECTIONS, SIZE, TOKENS, allCollections, largestCollection, recorder, sha256, url } from './server.js';

// A new name makes a document that the server has not seen.
const name = `Urql${Date.now()}`;

const MINTS = gql`
  query ${name}($address: Address!, $first: Int!, $after: Cursor) {
    mints(address: $address, first: $first, after: $after) {
      totalItems
      edges {
        node {
          id
          tokenId
          metadata {
            id
            name
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

// As examples/urql/schema.js.
const text = readFileSync(new URL('../../schema.graphqls', import.meta.url), 'utf8');
const schema = minifyIntrospectionQuery(introspectionFromSchema(buildSchema(text)));

// Objects without an id are stored within the object that contains them.
const keys = Object.fromEntries(
  schema.__schema.types
    .filter(({ kind, fields }) => kind === 'OBJECT' && !fields.some(({ name }) => name === 'id'))
    .map(({ name }) => [name, () => null]),
);

// warnings are those of all caches.
const warnings = [];

const cache = (options = { schema, keys }) =>
  cacheExchange({
    ...options,
    logger: (severity, message) => severity !== 'debug' && warnings.push(message),
    resolvers: {
      Query: { mints: relayPagination(), burns: relayPagination(), collections: relayPagination() },
      Collection: { tokens: relayPagination() },
    },
  });

// walk fetches page after page and returns the merged list in the cache.
async function walk(client, address) {
  return walkOf(client, MINTS, { address, first: SIZE }, ({ mints }) => mints);
}

// walkOf is walk for the connection that connectionOf finds in the results of a query.
async function walkOf(client, query, variables, connectionOf) {
  let pages = 0;
  let after;
  for (;;) {
    const { data, error } = await client.query(query, { ...variables, after }).toPromise();
    assert.equal(error, undefined);
    pages++;
    assert.ok(pages < 1000, 'the walk does not end');
    const { edges, totalItems, pageInfo } = connectionOf(data);
    if (!pageInfo.hasNextPage) return { ids: edges.map(({ node }) => node.id), totalItems, pages };
    after = pageInfo.endCursor;
  }
}

function checkWalk({ ids, totalItems, pages }, collection) {
  assert.equal(ids.length, totalItems);
  assert.deepEqual(ids, collection.ids);
  assert.equal(pages, Math.ceil(totalItems / SIZE));
}

test('relayPagination pages through a collection', async () => {
  const collection = await largestCollection();
  const { sent, fetch } = recorder();
  const client = new Client({ url, fetch, exchanges: [cache(), fetchExchange], preferGetMethod: false });
  const walked = await walk(client, collection.address);
  checkWalk(walked, collection);
  assert.equal(sent.length, walked.pages);
});

test('relayPagination pages through collections, and through the tokens of one', async () => {
  const { ids, largest } = await allCollections();
  const { sent, fetch } = recorder();
  const client = new Client({ url, fetch, exchanges: [cache(), fetchExchange], preferGetMethod: false });
  const collections = await walkOf(client, gql(COLLECTIONS), { first: 2 }, (data) => data.collections);
  assert.deepEqual(collections, { ids, totalItems: ids.length, pages: Math.ceil(ids.length / 2) });
  const tokens = await walkOf(client, gql(TOKENS), { address: largest.address, first: SIZE }, ({ collection }) => collection.tokens);
  assert.deepEqual(tokens, { ids: largest.tokens, totalItems: largest.tokens.length, pages: Math.ceil(largest.tokens.length / SIZE) });
  assert.equal(sent.length, collections.pages + tokens.pages);
});

test('persistedExchange sends hashes with GET', async () => {
  const collection = await largestCollection();
  const { sent, fetch } = recorder();
  const persisted = () =>
    new Client({
      url,
      fetch,
      preferGetMethod: false,
      exchanges: [cache(), persistedExchange({ preferGetForPersistedQueries: true, generateHash: async (text) => sha256(text) }), fetchExchange],
    });
  const walked = await walk(persisted(), collection.address);
  checkWalk(walked, collection);
  assert.equal(sent.length, walked.pages + 1, 'want one more request, which sends the document');
  const [asked, brought, ...others] = sent;
  assert.equal(asked.method, 'GET');
  assert.equal(asked.parameters.get('query'), null);
  assert.match(brought.parameters.get('query') ?? brought.body.query, new RegExp(`query ${name}`));
  for (const { method, parameters } of others) {
    assert.equal(method, 'GET');
    assert.equal(parameters.get('query'), null);
  }

  sent.length = 0;
  checkWalk(await walk(persisted(), collection.address), collection);
  assert.equal(sent.length, walked.pages, 'another client had to send the document again');
});

// Everything that has no id, and a fragment on an interface.
const EMBEDDED = gql`
  query {
    chain { head { number } indexedRanges { fromBlock } endpoints { url } gaps { reason } unprovableRanges { reason } }
    changes { cursor changes { kind } }
    transaction(hash: "0x7cf640d974dc4206877809e8696b01a3ee9913297381e298a15dfdaa678c186a") { hash block { number } details { fee } }
    collections(first: 20) { edges { node { id documents { resolved } metadata { name } traits { edges { node { traitType values { value } } } } } } }
    mints(fromBlock: 82, toBlock: 82) {
      indexed { fromBlock }
      buckets(interval: DAY) { totalItems }
      edges {
        cursor
        node { id ... on Transfer { blockNumber } metadata { id attributes { value } versions { edges { node { cause } } } } }
      }
    }
  }
`;

test('the cache has no warnings', async () => {
  const embedded = async (exchange) => {
    const { data, error } = await new Client({ url, preferGetMethod: false, exchanges: [exchange, fetchExchange] }).query(EMBEDDED, {}).toPromise();
    assert.equal(error, undefined);
    assert.equal(data.mints.edges[0].node.blockNumber, 82);
  };
  await embedded(cache());
  assert.deepEqual(warnings, []);
  await embedded(cache({}));
  assert.ok(warnings.length > 14, `without schema and keys: ${warnings.length} warnings`);
});
