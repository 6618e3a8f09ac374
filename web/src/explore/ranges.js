// Lists of block ranges [from, to], inclusive, in ascending order and disjoint.

// complement returns the parts of a range that other ranges do not cover.
export function complement(ranges, [from, to]) {
  const left = [];
  let next = from;
  for (const [first, last] of ranges) {
    if (first > next) left.push([next, Math.min(first - 1, to)]);
    next = Math.max(next, last + 1);
    if (next > to) break;
  }
  if (next <= to) left.push([next, to]);
  return left;
}

// size returns the number of blocks in ranges.
export function size(ranges) {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

// placed returns the position of ranges on a bar over [from, to], as [start, width] in per
// cent. No part is narrower than least, so that one block among millions is visible. Parts
// that would touch are joined, so there are at most 100/least parts.
export function placed(ranges, [from, to], least = 0.25) {
  const blocks = to - from + 1;
  const parts = [];
  for (const [first, last] of ranges) {
    const start = Math.min((100 * (first - from)) / blocks, 100 - least);
    const end = Math.max((100 * (last + 1 - from)) / blocks, start + least);
    const before = parts.at(-1);
    if (before && start < before[1] + least) before[1] = Math.max(end, before[1]);
    else parts.push([start, end]);
  }
  return parts.map(([start, end]) => [start, end - start]);
}
