// joined returns an answer with the items of a next page after those of its pages. A list that the
// next page does not have is as before.
export function joined(before, next) {
  if (!before || !next || typeof next !== 'object' || Array.isArray(next)) return next ?? before;
  if (Array.isArray(next.data)) return { ...next, data: [...before.data, ...next.data] };
  return { ...before, ...Object.fromEntries(Object.entries(next).map(([name, value]) => [name, joined(before[name], value)])) };
}
