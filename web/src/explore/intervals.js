// The ranges of the chart of mints and burns: the last `number` intervals.
export const RANGES = [
  { interval: 'HOUR', label: 'Hours', number: 48 },
  { interval: 'DAY', label: 'Days', number: 30 },
  { interval: 'WEEK', label: 'Weeks', number: 52 },
  { interval: 'MONTH', label: 'Months', number: 36 },
];

const SECONDS = { HOUR: 3_600, DAY: 86_400, WEEK: 7 * 86_400 };

// startOf returns the Unix time at which the last `number` intervals up to a time begin, at
// least 0. A week begins on Monday; the epoch was a Thursday.
export function startOf({ interval, number }, time) {
  if (interval === 'MONTH') {
    const date = new Date(time * 1000);
    return Math.max(0, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - number + 1) / 1000);
  }
  const size = SECONDS[interval];
  const shift = interval === 'WEEK' ? 3 * 86_400 : 0;
  return Math.max(0, (Math.floor((time + shift) / size) - number + 1) * size - shift);
}

// nameOfInterval returns a short name of the interval that begins at a time.
export function nameOfInterval(interval, time) {
  const text = new Date(time * 1000).toISOString();
  if (interval === 'HOUR') return `${text.slice(5, 10)} ${text.slice(11, 16)}`;
  return interval === 'MONTH' ? text.slice(0, 7) : text.slice(0, 10);
}
