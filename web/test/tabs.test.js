// Tests how a later visit restores the tabs of the previous visit.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openTabs } from '../src/tabs.js';

const mints = (block) => ({ title: 'Mints', query: 'query Mints { mints }', variables: `{"block": ${block}}` });
const burns = { title: 'Burns', query: 'query Burns { burns }', variables: '{}' };

// storageAfter returns a browser's storage after a visit that began with the example tabs
// `ready` and ended with the tabs `left`, the second one open.
function storageAfter(ready, left) {
  const map = new Map();
  const storage = { getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value) };
  openTabs(storage, ready);
  const tabs = left.map((tab, i) => ({ id: `${i}`, response: null, ...tab }));
  storage.setItem('graphiql:tabState', JSON.stringify({ tabs, activeTabIndex: 1 }));
  return storage;
}

const stored = (storage) =>
  JSON.parse(storage.getItem('graphiql:tabState')).tabs.map(({ query, variables }) => ({ query, variables }));
const texts = ({ query, variables }) => ({ query, variables });

test('a first visit opens the first example tab', () => {
  const storage = { getItem: () => null, setItem: () => {} };
  assert.deepEqual(openTabs(storage, [mints(1), burns]), mints(1));
});

test('a later visit opens the tab that was open', () => {
  const storage = storageAfter([mints(1), burns], [mints(1), burns]);
  assert.deepEqual(openTabs(storage, [mints(1), burns]), texts(burns));
});

test('an unedited example tab gets the variables of the current database', () => {
  const storage = storageAfter([mints(1), burns], [burns, mints(1)]);
  assert.deepEqual(openTabs(storage, [mints(2), burns]), texts(mints(2)));
  assert.deepEqual(stored(storage), [texts(burns), texts(mints(2))]);
});

test('an edited example tab stays unchanged', () => {
  const edited = { ...mints(1), variables: '{"block": 99}' };
  const storage = storageAfter([mints(1), burns], [edited, burns]);
  openTabs(storage, [mints(2), burns]);
  assert.deepEqual(stored(storage), [texts(edited), texts(burns)]);
});

test('a closed tab stays closed and a new empty one stays empty', () => {
  const storage = storageAfter([mints(1), burns], [burns, { query: null, variables: null }]);
  assert.deepEqual(openTabs(storage, [mints(1), burns]), { query: '', variables: '' });
  assert.equal(stored(storage).length, 2);
});

test('tabs that cannot be read count as a first visit', () => {
  const storage = storageAfter([mints(1), burns], []);
  for (const text of ['{', 'null', '{"tabs": []}']) {
    storage.setItem('graphiql:tabState', text);
    assert.deepEqual(openTabs(storage, [mints(1), burns]), mints(1));
  }
});
