// The steps of the chart of mints and burns: each bar counts whole intervals of the API. Each step is at most three
// times as long as the one before, so that a range has one that gives 20 to 60 bars.
const [HOUR, DAY] = [3_600, 86_400];

export const STEPS = [
  { name: '1h', label: 'hour', interval: 'HOUR', seconds: HOUR },
  { name: '3h', label: '3 hours', interval: 'HOUR', seconds: 3 * HOUR },
  { name: '8h', label: '8 hours', interval: 'HOUR', seconds: 8 * HOUR },
  { name: '1d', label: 'day', interval: 'DAY', seconds: DAY },
  { name: '3d', label: '3 days', interval: 'DAY', seconds: 3 * DAY },
  { name: '1w', label: 'week', interval: 'WEEK', seconds: 7 * DAY },
  { name: '2w', label: '2 weeks', interval: 'WEEK', seconds: 14 * DAY },
  { name: '1m', label: 'month', interval: 'MONTH', months: 1 },
  { name: '3m', label: '3 months', interval: 'MONTH', months: 3 },
  { name: '1y', label: 'year', interval: 'MONTH', months: 12 },
];

// MAX_BARS is the maximum number of bars.
export const MAX_BARS = 60;

// startOf returns the Unix time at which the bar of a time begins, or the one `later` bars after it, at least 0.
export function startOf({ interval, seconds, months }, time, later = 0) {
  if (months) {
    const date = new Date(time * 1000);
    const month = 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
    return Math.max(0, Date.UTC(1970, (Math.floor(month / months) + later) * months) / 1000);
  }
  // A week begins on Monday; the epoch was a Thursday.
  const shift = interval === 'WEEK' ? 3 * DAY : 0;
  return Math.max(0, (Math.floor((time + shift) / seconds) + later) * seconds - shift);
}

// fits reports whether a range has at most MAX_BARS bars of a step.
const fits = (step, [from, to]) => startOf(step, from, MAX_BARS) > to;

// stepsFor returns the steps with which a range has 2 to MAX_BARS bars, the shortest first. There is always one.
export function stepsFor(range) {
  const found = STEPS.filter((step, i) => fits(step, range) && (startOf(step, range[0], 1) <= range[1] || i === 0));
  return found.length > 0 ? found : [STEPS.at(-1)];
}

// nameOf returns a short name of the bar that begins at a time.
export function nameOf({ interval, months }, time) {
  const text = new Date(time * 1000).toISOString();
  if (interval === 'HOUR') return `${text.slice(0, 10)} ${text.slice(11, 16)}`;
  return text.slice(0, months === 12 ? 4 : months ? 7 : 10);
}

// rangeOf returns the range that a text such as 1700000000-1700086399 names, or undefined.
export function rangeOf(text) {
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(text ?? '')?.map(Number) ?? [];
  return from <= to ? [from, to] : undefined;
}

// moved returns a range of another length around the middle of a range, or beside it, which as far as possible lies
// within the whole range. by is in lengths of the range.
export function moved([from, to], whole, { by = 0, times = 1 }) {
  const length = to - from + 1;
  const most = whole[1] - whole[0] + 1;
  const size = Math.min(most, length * times);
  const start = Math.round(from + by * length - (size - length) / 2);
  const first = Math.max(whole[0], Math.min(start, whole[1] - size + 1));
  return [first, first + size - 1];
}

// barsOf returns the bars of an answer about mints and burns in a range, with their supply: the mints up to their end,
// less the burns. The first and the last bar end with the range.
export function barsOf(step, [first, last], { mints, burns, mintsBefore, burnsBefore }) {
  const bars = [];
  let supply = (mintsBefore?.totalItems ?? 0) - (burnsBefore?.totalItems ?? 0);
  mints.buckets.forEach(({ fromTime, totalItems }, i) => {
    const burned = burns.buckets[i].totalItems;
    const from = Math.max(first, startOf(step, fromTime));
    if (bars.at(-1)?.from !== from) bars.push({ from, to: Math.min(last, startOf(step, fromTime, 1) - 1), name: nameOf(step, from), mints: 0, burns: 0 });
    supply += totalItems - burned;
    const bar = bars.at(-1);
    Object.assign(bar, { mints: bar.mints + totalItems, burns: bar.burns + burned, supply });
  });
  return bars;
}
