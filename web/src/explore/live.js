import { createClient } from 'graphql-ws';
import { useEffect, useRef, useState } from 'preact/hooks';

import { apiKey } from './api.js';
import { data, root } from './page.js';
import { changes } from './queries.js';

// MOST is the maximum pause before the next attempt to connect, in milliseconds.
const MOST = 30_000;

// BEHIND is the number of batches in a row that are not the last after which loading again is cheaper.
const BEHIND = 5;

// client has one WebSocket for all subscriptions, while there are some. A retry of its own would begin with the first
// cursor again.
const client = createClient({
  url: (root + data.endpoint).replace(/^http/, 'ws'),
  retryAttempts: 0,
  connectionParams: () => ({ ...(apiKey() && { apiKey: apiKey() }) }),
});

let paused = false;
const turns = new Set();

// pause ends the updates of the page, or lets them continue where they ended.
export function pause(value) {
  paused = value;
  for (const turn of turns) turn();
}

// useChanges calls onBatch with each batch of changes after the cursor `after`, or after now, of a filter: the arguments
// of the subscription. It calls onBatch with null if the changes since the last batch are too many or no longer known:
// what was loaded before must be loaded again. It returns whether it is 'live', 'waiting' for a connection, or 'off'
// while the page is hidden or paused.
export function useChanges({ after, ...filter }, onBatch) {
  const [state, set] = useState('off');
  const receive = useRef();
  receive.current = onBatch;
  useEffect(() => {
    let [stop, timer, attempts, behind, cursor, lost] = [null, 0, 0, 0, after, false];
    const begin = () => {
      if (stop || document.hidden || paused) return;
      const question = changes({ ...filter, after: lost ? undefined : cursor });
      stop = client.subscribe(question, { next, error: again, complete: () => stop && again() });
    };
    const end = () => {
      clearTimeout(timer);
      const running = stop;
      stop = null;
      running?.();
    };
    const next = ({ data: answer, errors }) => {
      if (errors) return again(errors);
      const batch = answer.changes;
      const load = lost;
      behind = batch.more ? behind + 1 : 0;
      [cursor, attempts, lost] = [batch.cursor, 0, behind > BEHIND];
      set('live');
      if (load) receive.current(null);
      else if (batch.changes.length > 0) receive.current(batch);
      if (!lost) return;
      end();
      begin();
    };
    // problem is a list of GraphQL errors, or else how the connection ended.
    const again = (problem) => {
      end();
      lost ||= Array.isArray(problem) && problem.some(({ extensions }) => extensions?.code === 'CHANGES_EXPIRED');
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
