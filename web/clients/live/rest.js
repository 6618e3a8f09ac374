// Tests /v1/changes with EventSource, and with fetch and a key.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EventSource } from 'eventsource';

import { follows, pause } from './feed.js';

const url = new URL('v1/changes', process.env.MINTBURN_URL).href;
const key = process.env.MINTBURN_KEY;

// toGraphQL returns a change as GraphQL names it.
function toGraphQL({ kind, cause, mint, burn, from_block, to_block, token_id, metadata }) {
  const record = mint ?? burn;
  return {
    kind: kind.toUpperCase(),
    cause: cause?.toUpperCase(),
    blocks: { fromBlock: from_block, toBlock: to_block },
    transfer: record && { __typename: mint ? 'Mint' : 'Burn', id: record.id, blockNumber: record.block_number, tokenId: record.token_id },
    tokenId: token_id,
    metadata,
  };
}

test('EventSource', async (t) => {
  await follows(t, (cursor, apply, restart) => {
    const source = new EventSource(`${url}?after=${cursor}`);
    source.onmessage = ({ data }) => apply([toGraphQL(JSON.parse(data))]);
    source.onerror = () => source.readyState === EventSource.CLOSED && restart();
    return () => source.close();
  });
});

async function* changes(cursor) {
  for (;;) {
    const response = await fetch(`${url}?after=${cursor}&wait=30s`, { headers: { 'X-API-Key': key } }).catch(() => null);
    if (response?.status >= 400 && response.status < 500) throw new Error(await response.text());
    if (response?.ok) {
      const batch = await response.json();
      yield* batch.data;
      cursor = batch.cursor;
    } else await pause(1000);
  }
}

test('fetch with a key', async (t) => {
  await follows(t, (cursor, apply, restart) => {
    let stopped = false;
    (async () => {
      for await (const change of changes(cursor)) {
        if (stopped) return;
        apply([toGraphQL(change)]);
      }
    })().catch(({ message }) => JSON.parse(message).code === 'CHANGES_EXPIRED' && restart());
    return () => {
      stopped = true;
    };
  });
});

test('a wrong key is refused', async () => {
  const response = await fetch(url, { headers: { 'X-API-Key': `${key}0` } });
  assert.equal(response.status, 401);
});
