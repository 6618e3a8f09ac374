// What the tests of the feed have in common. MINTBURN_CONTROL is the address at which the test adds
// blocks: `add` adds one, `fill` adds those before the next reorg, and `kill` and `stop` end the
// server, add one, and start another server on the same database and port.
import assert from 'node:assert/strict';

import { ask } from '../server.js';

export const CHANGES = /* GraphQL */ `
  subscription Changes($after: Cursor) {
    changes(after: $after) {
      cursor
      changes {
        kind
        ... on RecordAdded { transfer { __typename ... on Node { id } blockNumber tokenId } }
        ... on BlocksVoided { blocks { fromBlock toBlock } cause }
        ... on MetadataChanged { tokenId metadata { image } }
      }
    }
  }
`;

// expired reports whether a copy must begin again.
export const expired = (errors) => errors?.some(({ extensions }) => extensions?.code === 'CHANGES_EXPIRED');

// fold applies changes to the records of a copy, by id.
export function fold(records, changes) {
  for (const change of changes) {
    if (change.kind === 'ADDED') records.set(change.transfer.id, change.transfer);
    if (change.kind !== 'VOIDED') continue;
    const { fromBlock, toBlock } = change.blocks;
    for (const [id, { blockNumber }] of records) {
      if (fromBlock <= blockNumber && blockNumber <= toBlock) records.delete(id);
    }
  }
}

// Copy is a copy of the records from a block on, and of the images of their tokens.
class Copy {
  constructor(records, images) {
    this.records = records;
    this.images = images;
    this.kinds = [];
  }

  apply(changes) {
    const before = [...this.records.values()];
    fold(this.records, changes);
    for (const change of changes) {
      this.kinds.push(change.kind);
      // A token that a reorg minted again has no document for a moment.
      if (change.kind === 'METADATA' && !change.metadata) this.images.delete(change.tokenId);
      else if (change.kind === 'METADATA') this.images.set(change.tokenId, change.metadata.image);
      // No token is minted twice.
      if (change.kind === 'VOIDED') {
        assert.equal(change.cause, 'REORG');
        const { fromBlock, toBlock } = change.blocks;
        const gone = before.filter((r) => r.__typename === 'Mint' && fromBlock <= r.blockNumber && r.blockNumber <= toBlock);
        for (const { tokenId } of gone) this.images.delete(tokenId);
      }
    }
  }

  content() {
    return [[...this.records.keys()].sort(), [...this.images].sort()];
  }

  // becomes waits until the content is equal.
  async becomes(want) {
    for (const end = Date.now() + 60_000; ; await pause(20)) {
      try {
        assert.deepEqual(this.content(), want);
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }
}

// stored returns a copy of the stored records from a block on.
async function stored(from) {
  const page = '(fromBlock: $from, first: 1000) { data { __typename id blockNumber tokenId metadata { image } } totalItems }';
  const { mints, burns } = await ask(`query ($from: Long) { mints${page} burns${page} }`, { from });
  const all = [...mints.data, ...burns.data];
  assert.equal(all.length, mints.totalItems + burns.totalItems, 'the records do not fit on one page');
  const records = new Map(all.map((record) => [record.id, record]));
  return new Copy(records, new Map(mints.data.filter(({ metadata }) => metadata).map(({ tokenId, metadata }) => [tokenId, metadata.image])));
}

async function control(event) {
  const response = await fetch(new URL(event, process.env.MINTBURN_CONTROL), { method: 'POST' });
  assert.equal(response.status, 200, await response.text());
}

// follows checks that a client keeps a copy. follow(cursor, apply, restart) must call apply with the
// changes after the cursor, also those on another server, until the function that it returns is
// called, or restart if the cursor has expired.
export async function follows(t, follow) {
  const { chain, changes } = await ask('{ chain { head { number } } changes { cursor } }');
  const from = chain.head.number - 5;
  const copy = await stored(from);
  t.after(follow(changes.cursor, (list) => copy.apply(list), () => assert.fail('the cursor has expired')));
  for (const event of ['add', 'fill', 'reorg', 'fill', 'kill', 'stop']) {
    copy.kinds = [];
    await control(event === 'reorg' ? 'add' : event);
    await copy.becomes((await stored(from)).content());
    assert.equal(copy.kinds.includes('VOIDED'), event === 'reorg' || event === 'kill', `${event}: ${copy.kinds}`);
    assert.ok(copy.kinds.includes('METADATA') && copy.kinds.includes('ADDED'), `${event}: ${copy.kinds}`);
  }
  // A cursor of another database.
  await new Promise((restart) => {
    t.after(follow(process.env.MINTBURN_EXPIRED, () => assert.fail('the cursor has not expired'), restart));
  });
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
