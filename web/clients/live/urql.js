// Tests subscriptions of urql, by GraphQL over SSE.
import { test } from 'node:test';

import { createElement as h, useEffect, useRef, useState } from 'react';
import { create } from 'react-test-renderer';
import { Client, Provider, fetchExchange, useSubscription } from 'urql';

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

// Changes is follow as a component. At the end of a subscription, hasNext is false; fetching is not.
function Changes({ cursor, apply, restart }) {
  const last = useRef(cursor);
  const [after, setAfter] = useState(cursor);
  const [{ error, hasNext }, subscribe] = useSubscription({ query: CHANGES, variables: { after } }, (_, { changes }) => {
    last.current = changes.cursor;
    apply(changes.changes);
  });
  useEffect(() => {
    if (hasNext !== false) return;
    if (expired(error?.graphQLErrors)) return restart();
    const timer = setTimeout(() => (after === last.current ? subscribe() : setAfter(last.current)), 1000);
    return () => clearTimeout(timer);
  }, [error, hasNext]);
  return null;
}

test('useSubscription', async (t) => {
  await follows(t, (cursor, apply, restart) => {
    const page = create(h(Provider, { value: client }, h(Changes, { cursor, apply, restart })));
    return () => page.unmount();
  });
});
