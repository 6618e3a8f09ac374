import { createClient } from 'graphql-ws';
import { useEffect, useRef, useState } from 'preact/hooks';

import { apiKey } from './api.js';
import { data, root } from './page.js';
import { signal } from './queries.js';

// MOST is the maximum pause before the next attempt to connect, in milliseconds.
const MOST = 30_000;

// PACE is the time in milliseconds in which a page may load news once, on average, and BURST how often at once: a front
// page that is left open costs less than 2,000 units a minute, whatever the chain.
const PACE = 36_000;
const BURST = 8;

// client has one WebSocket for all subscriptions, while there are some and shortly after. A retry of its own would begin
// with the first cursor again.
const client = createClient({
  url: (root + data.endpoint).replace(/^http/, 'ws'),
  retryAttempts: 0,
  lazyCloseTimeout: 2_000,
  connectionParams: () => ({ ...(apiKey() && { apiKey: apiKey() }) }),
});

let paused = false;
const turns = new Set();

// pause ends the updates of the page, or lets them continue where they ended.
export function pause(value) {
  paused = value;
  for (const turn of turns) turn();
}

// useNews calls onNews when something of a filter, the arguments of the subscription, has changed since the cursor
// `after`, and again after the cursor that onNews promises. It returns whether it is 'live', 'waiting' for a connection, or
// 'off' while the page is hidden or paused.
export function useNews({ after, ...filter }, onNews) {
  const [state, set] = useState('off');
  const receive = useRef();
  receive.current = onNews;
  useEffect(() => {
    let [stop, timer, attempts, cursor, left, filled] = [null, 0, 0, after, BURST, performance.now()];
    // turn counts what begins and ends, so that an answer that comes later changes nothing.
    let turnOf = 0;
    const begin = () => {
      if (stop || document.hidden || paused) return;
      stop = client.subscribe(signal({ ...filter, after: cursor }), { next, error: failed, complete: () => stop && again() });
    };
    const end = () => {
      turnOf++;
      clearTimeout(timer);
      const running = stop;
      stop = null;
      running?.();
    };
    const next = ({ data: answer, errors }) => {
      if (errors) return failed(errors);
      attempts = 0;
      set('live');
      if (answer.changes.cursor !== cursor) news();
    };
    // problem is a list of GraphQL errors, or else how the connection ended. What has changed since an old cursor is news too.
    const failed = (problem) => {
      if (Array.isArray(problem) && problem.some(({ extensions }) => extensions?.code === 'CHANGES_EXPIRED')) news();
      else again();
    };
    const news = () => {
      end();
      refill();
      timer = setTimeout(load, Math.max(0, (1 - left) * PACE));
    };
    const refill = () => {
      const now = performance.now();
      left = Math.min(BURST, left + (now - filled) / PACE);
      filled = now;
    };
    const load = async () => {
      const mine = ++turnOf;
      refill();
      left--;
      try {
        const now = await receive.current(cursor);
        if (mine !== turnOf) return;
        cursor = now;
        begin();
      } catch {
        if (mine === turnOf) again();
      }
    };
    const again = () => {
      end();
      set('waiting');
      timer = setTimeout(begin, Math.min(MOST, 1000 * 2 ** attempts++));
    };
    const hide = () => {
      end();
      set('off');
    };
    const turn = () => (document.hidden || paused ? hide() : begin());
    begin();
    turns.add(turn);
    document.addEventListener('visibilitychange', turn);
    addEventListener('pagehide', hide);
    return () => {
      end();
      turns.delete(turn);
      document.removeEventListener('visibilitychange', turn);
      removeEventListener('pagehide', hide);
    };
  }, [JSON.stringify(filter)]);
  return state;
}
