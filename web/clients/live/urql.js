// Tests subscriptions of urql, by GraphQL over SSE.
import { test } from 'node:test';

import { Client, fetchExchange } from 'urql';

import { url } from '../server.js';
import { CHANGES, expired, follows } from './feed.js';

const client = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true, preferGetMethod: false });

// follow subscribes again after the last cursor whenever the subscription ends.
function follow(cursor, apply, restart) {
  let subscription, timer;
  const subscribe = () => {
    subscription = client.subscription(CHANGES, { after: cursor }).subscribe(({ data, error, hasNext }) => {
      if (data && !error) {
        cursor = data.changes.cursor;
        apply(data.changes.changes);
      }
      if (expired(error?.graphQLErrors)) restart();
      else if (error || !hasNext) timer = setTimeout(subscribe, 1000);
    });
  };
  subscribe();
  return () => {
    clearTimeout(timer);
    subscription.unsubscribe();
  };
}

test('urql with fetchSubscriptions', async (t) => {
  await follows(t, follow);
});
