import { useState } from 'preact/hooks';

import { unitOf } from './chains.js';
import { approximate, count } from './texts.js';

// Amount is a decimal string. One of more than 15 digits is a power of ten, and its whole value is the
// title, and can be copied.
export function Amount({ value, times }) {
  const sign = times ? '× ' : '';
  if (value.length <= 15) return <span class="amount">{sign + count(value)}</span>;
  return (
    <span class="amount">
      <span title={count(value)}>{sign + approximate(value)}</span> <Copy text={value} what="the whole number" />
    </span>
  );
}

// Value is an amount of wei, a decimal string, in the unit of a chain; its title is the number of wei.
export function Value({ wei, chainId }) {
  if (wei === '0') return '0';
  const padded = wei.padStart(19, '0');
  const fraction = padded.slice(-18).replace(/0+$/, '');
  return (
    <span class="amount" title={`${count(wei)} wei`}>
      {count(padded.slice(0, -18))}
      {fraction && `.${fraction}`} {unitOf(chainId)}
    </span>
  );
}

// Copy is a button that copies a text, or what a function returns. Browsers allow that only by https and at localhost.
export function Copy({ text, what, label: shown = 'copy' }) {
  const [copied, set] = useState(false);
  if (!navigator.clipboard) return null;
  const label = `${copied ? 'Copied' : 'Copy'} ${what}`;
  const copy = () => navigator.clipboard.writeText(typeof text === 'function' ? text() : text).then(() => set(true));
  return (
    <button type="button" class="copy" aria-label={label} title={label} onClick={copy}>
      {copied ? 'copied' : shown}
    </button>
  );
}
