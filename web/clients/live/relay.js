// Tests a subscription of Relay, whose network layer uses graphql-sse.
import { before, test } from 'node:test';

import { createClient } from 'graphql-sse';
import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';

import { compile } from '../relay/compile.js';
import { url } from '../server.js';
import { follows } from './feed.js';

const client = createClient({ url, retryAttempts: 0 });

// A subscription by GraphQL over SSE.
const subscribe = ({ text }, variables) => Observable.create((sink) => client.subscribe({ query: text, variables }, sink));

before(compile);

test('requestSubscription', async (t) => {
  const { follow } = await import('../relay/changes.js');
  const network = Network.create(() => Promise.reject(new Error('no query is sent')), subscribe);
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  await follows(t, (...feed) => follow(environment, ...feed));
});
