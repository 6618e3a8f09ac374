const newestFirst = (a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex;
const oldestFirst = (a, b) => newestFirst(b, a);

// merged returns the loaded mints and burns as one list, newest or oldest first as they are. It ends at
// the last loaded record of a list that has more pages, because later records of the other list would
// be out of order.
export function merged(mints, burns, oldest = false) {
  const order = oldest ? oldestFirst : newestFirst;
  const all = [
    ...mints.data.map((record) => ({ ...record, kind: 'mint' })),
    ...burns.data.map((record) => ({ ...record, kind: 'burn' })),
  ].sort(order);
  const ends = [mints, burns].filter(({ cursor }) => cursor).map(({ data }) => data.at(-1));
  return all.filter((record) => ends.every((end) => order(record, end) <= 0));
}
