// Tests the clients of the two protocols, graphql-sse and graphql-ws.
import { test } from 'node:test';

import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWS } from 'graphql-ws';
import WebSocket from 'ws';

import { url } from '../server.js';
import { CHANGES, follows, pause } from './feed.js';

// follow subscribes again after the last cursor whenever the subscription ends.
async function follow(client, cursor, apply, stopped) {
  while (!stopped()) {
    try {
      for await (const { data } of client.iterate({ query: CHANGES, variables: { after: cursor } })) {
        cursor = data.changes.cursor;
        apply(data.changes.changes);
      }
    } catch {
      // The connection was lost.
    }
    await pause(1000);
  }
}

const followWith = (client) => (cursor, apply) => {
  let stopped = false;
  const ended = follow(client, cursor, apply, () => stopped);
  return () => {
    stopped = true;
    client.dispose();
    return ended;
  };
};

test('graphql-sse', async (t) => {
  await follows(t, followWith(createSSE({ url, retryAttempts: 0 })));
});

test('graphql-ws', async (t) => {
  await follows(t, followWith(createWS({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 })));
});
