import { useEffect, useState } from 'preact/hooks';

import { ask } from './api.js';
import { namesOf } from './queries.js';

// MOST is the number of addresses that the API takes at once.
const MOST = 100;

const known = new Map();
let wanted;

// useName returns the name of a collection, or undefined while it has none. One request gets the names that a page
// wants at a time, each once.
export function useName(address) {
  const [, set] = useState();
  useEffect(() => {
    let current = true;
    if (!known.has(address)) nameOf(address).then((name) => current && set(name), () => {});
    return () => {
      current = false;
    };
  }, [address]);
  return known.get(address);
}

async function nameOf(address) {
  if (!wanted || wanted.addresses.size === MOST) {
    const addresses = new Set();
    wanted = { addresses, done: Promise.resolve().then(() => load(addresses)) };
  }
  wanted.addresses.add(address);
  await wanted.done;
  return known.get(address);
}

async function load(addresses) {
  if (wanted.addresses === addresses) wanted = undefined;
  const { collections } = await ask(namesOf({ addresses: [...addresses] }));
  for (const address of addresses) known.set(address, collections.data.find((each) => each.address === address)?.name ?? undefined);
}
