import { useState } from 'preact/hooks';

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

// Copy is a button that copies a text. Browsers allow that only by https and at localhost.
export function Copy({ text, what }) {
  const [copied, set] = useState(false);
  if (!navigator.clipboard) return null;
  const label = `${copied ? 'Copied' : 'Copy'} ${what}`;
  return (
    <button type="button" class="copy" aria-label={label} title={label} onClick={() => navigator.clipboard.writeText(text).then(() => set(true))}>
      {copied ? 'copied' : 'copy'}
    </button>
  );
}
