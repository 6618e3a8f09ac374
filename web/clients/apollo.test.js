// Tests Apollo Client with pages, batches and persisted queries.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { filter, firstValueFrom } from 'rxjs';

import { COLLECTIONS, SIZE, TOKENS, allCollections, largestCollection, recorder, sha256, url } from './server.js';

// A new name makes a document that the server has not seen.
const name = `Apollo${Date.now()}`;

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

// Two lists are the same list, of which fetchMore brings another page, if all
// their arguments are the same but those that choose the page.
const pageArguments = ['first', 'after', 'last', 'before'];
const filters = (args) => Object.keys(args ?? {}).filter((name) => !pageArguments.includes(name));

function clientOf(link) {
  return new ApolloClient({
    link,
    cache: new InMemoryCache({
      typePolicies: {
        Query: {
          fields: { mints: relayStylePagination(filters), burns: relayStylePagination(filters), collections: relayStylePagination(filters) },
        },
        Collection: { fields: { tokens: relayStylePagination() } },
      },
    }),
  });
}

// walk loads page after page, as fetchMore of the hooks does, and returns the merged list
// in the cache.
async function walk(client, address) {
  return walkOf(client, MINTS, { address, first: SIZE }, ({ mints }) => mints);
}

// walkOf is walk for the connection that connectionOf finds in the results of a query.
async function walkOf(client, query, variables, connectionOf) {
  const watched = client.watchQuery({ query, variables });
  let { data } = await firstValueFrom(watched.pipe(filter(({ dataState }) => dataState === 'complete')));
  let pages = 1;
  for (; connectionOf(data).pageInfo.hasNextPage; pages++) {
    assert.ok(pages < 1000, 'the walk does not end');
    ({ data } = await watched.fetchMore({ variables: { after: connectionOf(data).pageInfo.endCursor } }));
  }
  const { edges, totalItems } = connectionOf(client.readQuery({ query, variables }));
  return { ids: edges.map(({ node }) => node.id), totalItems, pages };
}

let collection;
before(async () => {
  collection = await largestCollection();
});

function checkWalk({ ids, totalItems, pages }) {
  assert.equal(ids.length, totalItems);
  assert.deepEqual(ids, collection.ids);
  assert.equal(pages, Math.ceil(totalItems / SIZE));
}

test('relayStylePagination pages through a collection', async () => {
  const { sent, fetch } = recorder();
  const walked = await walk(clientOf(new HttpLink({ uri: url, fetch })), collection.address);
  checkWalk(walked);
  assert.equal(sent.length, walked.pages);
});

test('relayStylePagination pages through collections, and through the tokens of one', async () => {
  const { ids, largest } = await allCollections();
  const { sent, fetch } = recorder();
  const client = clientOf(new HttpLink({ uri: url, fetch }));
  const collections = await walkOf(client, gql(COLLECTIONS), { first: 2 }, (data) => data.collections);
  assert.deepEqual(collections, { ids, totalItems: ids.length, pages: Math.ceil(ids.length / 2) });
  const tokens = await walkOf(client, gql(TOKENS), { address: largest.address, first: SIZE }, ({ collection: { tokens } }) => tokens);
  assert.deepEqual(tokens, { ids: largest.tokens, totalItems: largest.tokens.length, pages: Math.ceil(largest.tokens.length / SIZE) });
  assert.equal(sent.length, collections.pages + tokens.pages);
});

test('lists with different arguments are separate in the cache', async () => {
  const client = clientOf(new HttpLink({ uri: url }));
  const LISTS = gql`
    query Lists($accounts: [Address!]!) {
      all: mints(first: 0) {
        totalItems
      }
      none: mints(first: 0, accounts: $accounts) {
        totalItems
      }
    }
  `;
  const variables = { accounts: [] };
  await client.query({ query: LISTS, variables });
  const { all, none } = client.readQuery({ query: LISTS, variables });
  assert.equal(none.totalItems, 0);
  assert.ok(all.totalItems > 0);
});

test('BatchHttpLink sends simultaneous queries in one POST', async () => {
  const { sent, fetch } = recorder();
  const client = clientOf(new BatchHttpLink({ uri: url, fetch, batchMax: 10, batchInterval: 20 }));
  const BURNS = gql`
    query Burns($address: Address!) {
      burns(address: $address, first: 5) {
        totalItems
        edges {
          node {
            id
          }
        }
      }
    }
  `;
  const HEAD = gql`
    query Head {
      chain {
        head {
          number
        }
      }
    }
  `;
  const WRONG = gql`
    query Wrong {
      mints(first: -1) {
        totalItems
      }
    }
  `;
  const [walked, burns, head, wrong] = await Promise.all([
    walk(client, collection.address),
    client.query({ query: BURNS, variables: { address: collection.address } }),
    client.query({ query: HEAD }),
    client.query({ query: WRONG, errorPolicy: 'all' }),
  ]);
  checkWalk(walked);
  assert.equal(burns.data.burns.edges.length, Math.min(5, burns.data.burns.totalItems));
  assert.ok(head.data.chain.head.number > 0);
  assert.equal(wrong.error.errors[0].extensions.code, 'BAD_USER_INPUT');
  assert.deepEqual(
    sent[0].body.map(({ operationName }) => operationName),
    [name, 'Burns', 'Head', 'Wrong'],
  );
  assert.ok(sent.every(({ body }) => Array.isArray(body)));
});

test('PersistedQueryLink sends hashes with GET', async () => {
  const { sent, fetch } = recorder();
  const http = new HttpLink({ uri: url, fetch });
  const persisted = () => clientOf(new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(http));
  const walked = await walk(persisted(), collection.address);
  checkWalk(walked);
  assert.equal(sent.length, walked.pages + 1, 'want one more request, which sends the document');
  const [asked, brought, ...others] = sent;
  assert.equal(asked.method, 'GET');
  assert.equal(asked.parameters.get('query'), null);
  assert.equal(brought.method, 'POST');
  assert.match(brought.body.query, new RegExp(`query ${name}`));
  for (const { method, parameters } of others) {
    assert.equal(method, 'GET');
    assert.equal(parameters.get('query'), null);
    assert.match(JSON.parse(parameters.get('extensions')).persistedQuery.sha256Hash, /^[0-9a-f]{64}$/);
  }

  sent.length = 0;
  checkWalk(await walk(persisted(), collection.address));
  assert.equal(sent.length, walked.pages, 'another client had to send the document again');
  assert.ok(sent.every(({ method }) => method === 'GET'));
});
