// Formatting of texts from documents and from the chain, which are untrusted.

// CONTROLS are control characters, including those that change the text direction.
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

// clean removes characters that could disturb the surrounding text, and cuts the text to
// the given number of characters.
export function clean(text, most) {
  const cleaned = text.slice(0, 4 * most).toWellFormed().replace(CONTROLS, '').replace(/(\p{M}{3})\p{M}+/gu, '$1').trim();
  const characters = [...cleaned];
  return characters.length > most || text.length > 4 * most ? `${characters.slice(0, most).join('')}…` : cleaned;
}

// short omits the middle of a long address, hash or number.
export function short(text) {
  return text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

const whole = new Intl.NumberFormat('en');

// count formats a number, or a decimal string, with thousands separators.
export function count(value) {
  return whole.format(typeof value === 'string' ? BigInt(value) : value);
}

// approximate formats a decimal string of many digits as a power of ten.
export function approximate(value) {
  const [digits, exponent] = Number(value).toExponential(2).split('e+');
  return `≈ ${digits} × 10^${exponent}`;
}

// countOf formats a number with a noun, in the singular or plural.
export function countOf(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// moment formats a Unix time as date and time in UTC.
export function moment(seconds) {
  return `${iso(seconds).slice(0, 16).replace('T', ' ')} UTC`;
}

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

// ago formats a Unix time as people say it: how long ago it was, if that is less than a day, or the day.
export function ago(seconds, now = Date.now() / 1000) {
  const age = now - seconds;
  // The clock of a viewer may be slow.
  if (age < -60 || age >= 86_400) return date.format(Math.min(seconds * 1000, 8.64e15));
  if (age < 60) return `${Math.max(0, Math.floor(age))} s ago`;
  return age < 3_600 ? `${Math.floor(age / 60)} min ago` : `${Math.floor(age / 3_600)} h ago`;
}

// iso formats a Unix time as ISO 8601. A time beyond the last valid Date becomes that Date.
export function iso(seconds) {
  return new Date(Math.min(seconds * 1000, 8.64e15)).toISOString();
}

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

// duration formats a number of seconds in its largest unit.
export function duration(seconds) {
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? UNITS.at(-1);
  return countOf(Math.floor(seconds / size), unit);
}
