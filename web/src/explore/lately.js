// The front page and the changes of the chain.

// newestFirst compares records by their place in the chain.
const newestFirst = (a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex;

// changed returns an answer about what happened lately after a batch of changes: the new mints are among the others by
// their place in the chain, as many as before are shown, at least `least`; those of void blocks are gone, and new
// documents are in the place of old ones.
export function changed(answer, { changes, head, cursor }, least) {
  let { data } = answer.mints;
  const shown = Math.max(least, data.length);
  // Unless the list has all mints, one that is older than its oldest belongs to a later page.
  const oldest = answer.mints.cursor && data.at(-1);
  for (const change of changes) {
    if (change.kind === 'VOIDED') {
      data = data.filter((mint) => !isIn(change.blocks, mint));
    } else if (change.kind === 'ADDED' && change.transfer.__typename === 'Mint' && data.every(({ id }) => id !== change.transfer.id)) {
      if (!oldest || newestFirst(change.transfer, oldest) < 0) data = [change.transfer, ...data].sort(newestFirst);
    } else if (change.kind === 'METADATA') {
      const { address, tokenId, metadata } = change;
      data = data.map((mint) => (mint.tokenAddress === address && mint.tokenId === tokenId ? { ...mint, metadata } : mint));
    }
  }
  return { ...answer, changes: { cursor }, chain: { ...answer.chain, head }, mints: { ...answer.mints, cursor: answer.mints.cursor || data.length > shown, data: data.slice(0, shown) } };
}

const isIn = ({ fromBlock, toBlock }, { blockNumber }) => fromBlock <= blockNumber && blockNumber <= toBlock;

// reorgsOf returns what happened to void blocks in a batch: the mints of an answer that are void, and the records of
// the blocks with their numbers that came after them.
export function reorgsOf({ mints }, { changes, cursor }) {
  return changes
    .filter(({ kind }) => kind === 'VOIDED')
    .map(({ blocks, cause }) => ({
      id: `${cursor} ${blocks.fromBlock}`,
      blocks,
      cause,
      gone: mints.data.filter((mint) => isIn(blocks, mint)).reverse(),
      came: changes.filter(({ kind, transfer }) => kind === 'ADDED' && isIn(blocks, transfer)).map(({ transfer }) => transfer),
    }));
}
