// Texts of documents and of the chain as they are shown: anyone may have written them.

// CONTROLS are control characters, and those that change the direction of what follows.
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

// clean returns a text without what could disturb the texts around it, with at most so
// many characters.
export function clean(text, most) {
  const cleaned = text.slice(0, 4 * most).toWellFormed().replace(CONTROLS, '').replace(/(\p{M}{3})\p{M}+/gu, '$1').trim();
  const characters = [...cleaned];
  return characters.length > most || text.length > 4 * most ? `${characters.slice(0, most).join('')}…` : cleaned;
}

// short returns an address, a hash or a number with its middle left out if it is long.
export function short(text) {
  return text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

const whole = new Intl.NumberFormat('en');

// count writes a number, or a decimal string, with separators.
export function count(value) {
  return whole.format(typeof value === 'string' ? BigInt(value) : value);
}

// countOf writes a number of things.
export function countOf(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// moment writes a Unix time as date and time, UTC.
export function moment(seconds) {
  return `${iso(seconds).slice(0, 16).replace('T', ' ')} UTC`;
}

// iso writes a Unix time by ISO 8601; a time that no date has, as the last one that has.
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

// duration writes a number of seconds in its largest unit.
export function duration(seconds) {
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? UNITS.at(-1);
  return countOf(Math.floor(seconds / size), unit);
}
