// Tests the clients of the two protocols, graphql-sse and graphql-ws.
import { test } from 'node:test';

import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWS } from 'graphql-ws';
import WebSocket from 'ws';

import { url } from '../server.js';
import { CHANGES, expired, follows, pause } from './feed.js';

// follow subscribes again after the last cursor whenever the subscription ends.
async function follow(client, cursor, apply, restart, stopped) {
  while (!stopped()) {
    try {
      for await (const { data, errors } of client.iterate({ query: CHANGES, variables: { after: cursor } })) {
        if (expired(errors)) return restart();
        cursor = data.changes.cursor;
        apply(data.changes.changes);
      }
    } catch (error) {
      // graphql-ws throws the errors of an operation; all else means that the connection was lost.
      if (Array.isArray(error) && expired(error)) return restart();
    }
    await pause(1000);
  }
}

const followWith = (client) => (cursor, apply, restart) => {
  let stopped = false;
  const ended = follow(client, cursor, apply, restart, () => stopped);
  return () => {
    stopped = true;
    client.dispose();
    return ended;
  };
};

test('graphql-sse', async (t) => {
  await follows(t, followWith(createSSE({ url, retryAttempts: 0 })));
});

// The client subscribes again by itself, with the variables as they are then.
test('graphql-sse, by its own retries', async (t) => {
  await follows(t, (cursor, apply, restart) => {
    const client = createSSE({ url, retryAttempts: 100, retry: () => pause(100) });
    const variables = { after: cursor };
    const next = ({ data, errors }) => {
      if (expired(errors)) return restart();
      variables.after = data.changes.cursor;
      apply(data.changes.changes);
    };
    client.subscribe({ query: CHANGES, variables }, { next, error: (error) => t.diagnostic(String(error)), complete: () => {} });
    return () => client.dispose();
  });
});

test('graphql-ws', async (t) => {
  await follows(t, followWith(createWS({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 })));
});
