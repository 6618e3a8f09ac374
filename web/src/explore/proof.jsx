import { useEffect, useState } from 'preact/hooks';

import { ask } from './api.js';
import { proofs } from './queries.js';
import { answers } from './router.js';

// asked has one question for each page.
const asked = new WeakMap();

// Proved marks a block that is proved complete against its header. One question serves the page.
export function Proved({ number }) {
  const [ranges, set] = useState([]);
  useEffect(() => {
    const page = answers();
    if (!asked.has(page)) asked.set(page, ask(proofs()));
    asked.get(page).then(({ chain }) => set(chain.verifiedRanges), () => {});
  }, []);
  if (!ranges.some(({ fromBlock, toBlock }) => fromBlock <= number && number <= toBlock)) return null;
  return (
    <span class="proved" title={`All logs of block ${number} together give the receipts root in its header.`}>
      ✓ proved against header
    </span>
  );
}
