import { placed } from './ranges.js';
import { count } from './texts.js';

// Hatching is the fill pattern of unknown blocks. A page with bars includes it once.
export const Hatching = () => (
  <svg class="hatching" aria-hidden="true">
    <pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="empty" width="6" height="6" />
      <rect class="hatch" width="2" height="6" />
    </pattern>
  </svg>
);

// Bar shows ranges of blocks as a bar: parts is a list of { kind, ranges }, drawn in this order, each
// with the class kind.
export const Bar = ({ label, figure, parts, blocks }) => (
  <div class="bar">
    <div class="bar-label">
      <span>{label}</span>
      <span class="soft">{figure}</span>
    </div>
    <svg role="img" aria-label={`${label}: ${figure}`}>
      <rect class="empty" width="100%" height="100%" />
      {parts.map(({ kind, ranges }) => placed(ranges, blocks).map(([start, width]) => <rect key={kind + start} class={kind} x={`${start}%`} width={`${width}%`} height="100%" />))}
    </svg>
  </div>
);

// Axis shows the numbers of the first, middle and last block below the bars.
export const Axis = ({ blocks: [from, to] }) => (
  <div class="axis" aria-hidden="true">
    {[...new Set([from, Math.round((from + to) / 2), to])].map((number) => (
      <span key={number}>{count(number)}</span>
    ))}
  </div>
);
