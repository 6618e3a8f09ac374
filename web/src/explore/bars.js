import { h, svg } from './dom.js';
import { placed } from './ranges.js';
import { count } from './texts.js';

// hatching returns the fill pattern of unknown blocks. A page with bars includes it once.
export function hatching() {
  return svg(
    'svg',
    { class: 'hatching', 'aria-hidden': 'true' },
    svg(
      'pattern',
      { id: 'hatching', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('rect', { class: 'empty', width: 6, height: 6 }),
      svg('rect', { class: 'hatch', width: 2, height: 6 }),
    ),
  );
}

// bar draws ranges of blocks as a bar: parts is a list of { kind, ranges }, drawn in this
// order, each with the class kind.
export function bar({ label, figure, parts, blocks }) {
  return h(
    'div',
    { class: 'bar' },
    h('div', { class: 'bar-label' }, h('span', null, label), h('span', { class: 'soft' }, figure)),
    svg(
      'svg',
      { role: 'img', 'aria-label': `${label}: ${figure}` },
      svg('rect', { class: 'empty', width: '100%', height: '100%' }),
      parts.map(({ kind, ranges }) =>
        placed(ranges, blocks).map(([start, width]) =>
          svg('rect', { class: kind, x: `${start}%`, width: `${width}%`, height: '100%' }),
        ),
      ),
    ),
  );
}

// axis shows the numbers of the first, middle and last block below the bars.
export function axis([from, to]) {
  const numbers = [...new Set([from, Math.round((from + to) / 2), to])];
  return h(
    'div',
    { class: 'axis', 'aria-hidden': 'true' },
    numbers.map((number) => h('span', null, count(number))),
  );
}
