// Tests subscriptions of Apollo Client, by HTTP alone (multipart) and by WebSocket.
import { test } from 'node:test';

import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

import { url } from '../server.js';
import { CHANGES, expired, follows } from './feed.js';

// Node 20 has no WebSocket, as browsers have.
globalThis.WebSocket ??= WebSocket;

// followWith subscribes again after the last cursor whenever the subscription ends.
function followWith(client) {
  return (cursor, apply, restart) => {
    let subscription, timer;
    const subscribe = () => {
      subscription = client.subscribe({ query: gql(CHANGES), variables: { after: cursor }, fetchPolicy: 'no-cache' }).subscribe({
        next({ data, error }) {
          if (data) {
            cursor = data.changes.cursor;
            apply(data.changes.changes);
          } else if (expired(error.errors)) {
            subscription.unsubscribe();
            restart();
          }
        },
        complete() {
          timer = setTimeout(subscribe, 1000);
        },
      });
    };
    subscribe();
    return () => {
      clearTimeout(timer);
      subscription.unsubscribe();
    };
  };
}

const clientOf = (link) => new ApolloClient({ link, cache: new InMemoryCache() });

test('HttpLink alone', async (t) => {
  await follows(t, followWith(clientOf(new HttpLink({ uri: url }))));
});

test('GraphQLWsLink', async (t) => {
  const link = new GraphQLWsLink(createClient({ url: url.replace('http', 'ws'), retryAttempts: 0 }));
  await follows(t, followWith(clientOf(link)));
});
