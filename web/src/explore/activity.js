import { drawChart } from './chart.js';
import { h } from './dom.js';
import { nameOfInterval, RANGES, startOf } from './intervals.js';
import { activity, completeness } from './queries.js';
import { problemBox } from './section.js';
import { count, countOf } from './texts.js';

// activityView shows mints and burns by time, of one collection or all, up to the last
// indexed block. chain is the result of the coverage query.
export function activityView({ chain, address, ask, linkTo }) {
  if (!chain.head) return h('p', { class: 'soft' }, 'No block is indexed yet.');
  const body = h('div', { class: 'activity', 'aria-live': 'polite' });
  const show = async (range) => {
    const question = activity({ address, fromTime: startOf(range, chain.head.timestamp), toTime: chain.head.timestamp, interval: range.interval });
    linkTo(question);
    body.setAttribute('aria-busy', 'true');
    try {
      const { mints, burns } = await ask(question);
      const unknown = await unknownOf(mints.buckets, chain, ask);
      const rows = mints.buckets.map(({ fromTime, totalItems }, i) => ({
        name: nameOfInterval(range.interval, fromTime),
        mints: totalItems,
        burns: burns.buckets[i].totalItems,
        unknown: unknown[i],
      }));
      if (chosen === range) body.replaceChildren(...rowsView(rows, mints.totalItems, burns.totalItems));
    } catch (problem) {
      if (chosen === range) body.replaceChildren(problemBox(problem, () => show(range)));
    }
    body.removeAttribute('aria-busy');
  };
  let chosen;
  const choose = (range) => {
    chosen = range;
    return show(range);
  };
  const days = RANGES.find(({ interval }) => interval === 'DAY');
  const choices = RANGES.map((range) =>
    h('label', null, h('input', { type: 'radio', name: 'interval', checked: range === days, onchange: () => choose(range) }), h('span', null, range.label)),
  );
  const first = choose(days);
  return first.then(() => [h('fieldset', { class: 'choices' }, h('legend', null, 'Interval'), choices), body]);
}

// unknownOf reports for each bucket whether some of its blocks are not indexed.
async function unknownOf(buckets, { indexedRanges }, ask) {
  if (indexedRanges.length === 1 && indexedRanges[0].fromBlock === 0) return buckets.map(() => false);
  const answer = await ask(completeness(buckets), 'BLOCK_NOT_INDEXED');
  return buckets.map((_, i) => answer[`b${i}`] === null);
}

function rowsView(rows, mints, burns) {
  const legend = [
    h('li', { class: 'of-mints' }, 'mints'),
    h('li', { class: 'of-burns' }, 'burns'),
    rows.some(({ unknown }) => unknown) && h('li', { class: 'of-unknown' }, 'blocks that are not indexed'),
  ];
  const summary = `${countOf(mints, 'mint')} and ${countOf(burns, 'burn')} from ${rows[0].name} to ${rows.at(-1).name}, UTC`;
  const key = h('ul', { class: 'key' }, legend);
  const canvas = h('canvas', { role: 'img', 'aria-label': `${summary}. The numbers are in the table below.` });
  const frame = h('div', { class: 'chart' }, canvas);
  // The colours can be read only once the key is in the page.
  requestAnimationFrame(() => drawChart({ canvas, key, rows }));
  return [h('p', { class: 'soft' }, summary), frame, key, table(rows)];
}

function table(rows) {
  return h(
    'details',
    null,
    h('summary', null, 'Numbers as a table'),
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ['From', 'Mints', 'Burns', 'Note'].map((name) => h('th', { scope: 'col' }, name)))),
      h(
        'tbody',
        null,
        rows.map(({ name, mints, burns, unknown }) =>
          h(
            'tr',
            null,
            h('td', { 'data-name': 'From' }, name),
            h('td', { 'data-name': 'Mints', class: 'number' }, count(mints)),
            h('td', { 'data-name': 'Burns', class: 'number' }, count(burns)),
            h('td', { 'data-name': 'Note' }, unknown ? 'not all blocks are indexed' : ''),
          ),
        ),
      ),
    ),
  );
}
