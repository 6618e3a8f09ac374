// The server under test, at MINTBURN_URL, and the queries that several clients use.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

assert.ok(process.env.MINTBURN_URL, 'set MINTBURN_URL to the address of a running server');

export const url = new URL('graphql', process.env.MINTBURN_URL).href;

// SIZE is the page size of the walks. It is small, so that a walk has many pages.
export const SIZE = 25;

// Queries that several clients page through.
export const COLLECTIONS = /* GraphQL */ `
  query Collections($first: Int!, $after: Cursor) {
    collections(first: $first, after: $after) {
      totalItems
      edges {
        node {
          id
          mintedItems
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

export const TOKENS = /* GraphQL */ `
  query Tokens($address: Address!, $first: Int!, $after: Cursor) {
    collection(address: $address) {
      id
      tokens(first: $first, after: $after) {
        totalItems
        edges {
          node {
            id
            state
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;

// ask sends an operation without a client library.
export async function ask(query, variables = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

// largestCollection returns the address of the collection with the most mints, and the ids
// of its mints, read in one large page.
export async function largestCollection() {
  const { mints } = await ask('{ mints(first: 1000) { data { tokenAddress } } }');
  const counts = new Map();
  for (const { tokenAddress } of mints.data) counts.set(tokenAddress, (counts.get(tokenAddress) ?? 0) + 1);
  const [address] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most));
  const all = await ask('query ($address: Address!) { mints(address: $address, first: 1000) { totalItems data { id } } }', { address });
  assert.equal(all.mints.data.length, all.mints.totalItems);
  assert.ok(all.mints.totalItems > 3 * SIZE, 'the collection has too few mints for a walk');
  return { address, ids: all.mints.data.map(({ id }) => id) };
}

// allCollections returns the ids of all collections, newest first, and the ids of the tokens
// of the collection with the most tokens, by token id. Each list is read in one large page.
export async function allCollections() {
  const page = '{ totalItems data { id address tokens(first: 200) { totalItems data { id } } } }';
  const { collections } = await ask(`{ collections(first: 100) ${page} }`);
  assert.equal(collections.data.length, collections.totalItems);
  const { id, address, tokens } = collections.data.reduce((most, next) => (next.tokens.totalItems > most.tokens.totalItems ? next : most));
  const all = await ask('query ($id: ID!) { node(id: $id) { ... on Collection { tokens(first: 1000) { totalItems data { id } } } } }', { id });
  assert.equal(all.node.tokens.data.length, tokens.totalItems);
  assert.ok(tokens.totalItems > 3 * SIZE, 'the collection has too few tokens for a walk');
  const idsOf = (list) => list.map((item) => item.id);
  return { ids: idsOf(collections.data), largest: { id, address, tokens: idsOf(all.node.tokens.data) } };
}

// recorder returns a fetch function that adds each request to sent.
export function recorder() {
  const sent = [];
  const recorded = (input, init) => {
    const { searchParams } = new URL(input);
    sent.push({ method: init.method ?? 'GET', parameters: searchParams, body: init.body ? JSON.parse(init.body) : undefined });
    return fetch(input, init);
  };
  return { sent, fetch: recorded };
}

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');
