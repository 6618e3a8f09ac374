// The front page and the changes of the chain.

// changed returns an answer about what happened lately after a batch of changes: the new mints are before the others,
// of which as many are shown as before, at least `least`; those of void blocks are gone, and new documents are in the
// place of old ones.
export function changed(answer, { changes, head, cursor }, least) {
  let { data } = answer.mints;
  const shown = Math.max(least, data.length);
  for (const change of changes) {
    if (change.kind === 'VOIDED') {
      data = data.filter((mint) => !isIn(change.blocks, mint));
    } else if (change.kind === 'ADDED' && change.transfer.__typename === 'Mint' && data.every(({ id }) => id !== change.transfer.id)) {
      data = [change.transfer, ...data];
    } else if (change.kind === 'METADATA') {
      const { address, tokenId, metadata } = change;
      data = data.map((mint) => (mint.tokenAddress === address && mint.tokenId === tokenId ? { ...mint, metadata } : mint));
    }
  }
  return { ...answer, changes: { cursor }, chain: { ...answer.chain, head }, mints: { ...answer.mints, data: data.slice(0, shown) } };
}

const isIn = ({ fromBlock, toBlock }, { blockNumber }) => fromBlock <= blockNumber && blockNumber <= toBlock;

// reorgsOf returns what happened to void blocks in a batch: the mints of an answer that are void, and the records that
// came in their place.
export function reorgsOf({ mints }, { changes, cursor }) {
  return changes
    .filter(({ kind }) => kind === 'VOIDED')
    .map(({ blocks, cause }) => ({
      id: `${cursor} ${blocks.fromBlock}`,
      blocks,
      cause,
      gone: mints.data.filter((mint) => isIn(blocks, mint)).reverse(),
      came: changes.filter(({ kind, transfer }) => kind === 'ADDED' && transfer.blockNumber >= blocks.fromBlock).map(({ transfer }) => transfer),
    }));
}
