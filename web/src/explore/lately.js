// The front page and the changes of the chain.

// newestFirst compares records by their place in the chain.
const newestFirst = (a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex;

const isIn = ({ fromBlock, toBlock }, { blockNumber }) => fromBlock <= blockNumber && blockNumber <= toBlock;

// changed returns an answer about what happened lately after news: the newest mints are in front of the others, as many as
// before are shown, at least `least`. Of mints between both, which the news do not have, later pages begin with.
export function changed(answer, { chain, now, mints, changes }, least) {
  const before = answer.mints.data;
  const shown = Math.max(least, before.length);
  const last = mints.data.at(-1);
  const gone = (mint) => changes.changes.some(({ blocks }) => isIn(blocks, mint));
  const older = mints.cursor ? before.filter((mint) => newestFirst(mint, last) > 0 && !gone(mint)) : [];
  // Without a mint in common, there may be others between them.
  const meets = !last || before.some(({ id }) => id === last.id);
  const data = [...mints.data, ...(meets ? older : [])];
  return { ...answer, changes: now, chain: { ...answer.chain, ...chain }, mints: { ...answer.mints, cursor: Boolean(mints.cursor && (answer.mints.cursor || !meets || data.length > shown)), data: data.slice(0, shown) } };
}

// reorgsOf returns what happened to void blocks in news: the mints of an answer that are void, and the newest ones in
// these blocks that came after them.
export function reorgsOf({ mints: before }, { changes: { changes }, mints, now }) {
  return changes.map(({ blocks, cause }) => {
    const of = (list, other) => list.filter((mint) => isIn(blocks, mint) && other.every(({ id }) => id !== mint.id)).reverse();
    return { id: `${now.cursor} ${blocks.fromBlock}`, blocks, cause, gone: of(before.data, mints.data), came: of(mints.data, before.data) };
  });
}
