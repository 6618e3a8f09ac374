import { axis, bar, hatching } from './bars.js';
import { h } from './dom.js';
import { complement, size } from './ranges.js';
import { clean, count, countOf, duration, iso, moment } from './texts.js';
import { tiles } from './tiles.js';

// MAX_ROWS is the number of rows in the table below the bars.
const MAX_ROWS = 200;

const pairs = (ranges) => ranges.map(({ fromBlock, toBlock }) => [fromBlock, toBlock]);

// chainView shows the indexed and verified blocks, and the nodes.
export function chainView({ chain }) {
  if (!chain.head) return [h('p', { class: 'soft' }, 'No block is indexed yet.'), nodes(chain.endpoints)];
  return [figures(chain), bars(chain), nodes(chain.endpoints)];
}

function figures({ chainId, head, finalized, lag, contracts, following, endpoints }) {
  const at = (block) => h('time', { datetime: iso(block.timestamp) }, moment(block.timestamp));
  return tiles([
    ['Chain', chainId === null ? 'unknown' : `id ${chainId}`, contracts ? countOf(contracts.length, 'collection') : 'all collections'],
    ['Last indexed block', count(head.number), at(head)],
    ['Finalized block', finalized ? count(finalized.number) : 'unknown', finalized && at(finalized)],
    ['Lag', duration(lag), following || endpoints.length === 0 ? 'since the last indexed block' : h('span', { class: 'resting' }, 'no process follows the chain')],
  ]);
}

function bars(chain) {
  const indexed = pairs(chain.indexedRanges);
  const verified = pairs(chain.verifiedRanges);
  // The API returns the newest gaps first.
  const gaps = pairs(chain.gaps).sort(([a], [b]) => a - b);
  const unprovable = pairs(chain.unprovableRanges).sort(([a], [b]) => a - b);
  const heads = chain.endpoints.map(({ head }) => head).filter((head) => head !== null);
  const from = Math.min(indexed[0][0], gaps[0]?.[0] ?? Infinity);
  const blocks = [from, Math.max(chain.head.number, gaps.at(-1)?.[1] ?? 0, ...heads)];
  const known = [from, chain.head.number];
  const holes = complement(indexed, known);
  const share = (100 * size(verified)) / size(indexed);
  return h(
    'div',
    { class: 'bars' },
    hatching(),
    bar({
      label: 'Indexed',
      figure: `${countOf(size(indexed), 'block')}, ${holes.length === 0 ? 'no holes' : countOf(holes.length, 'hole')}`,
      blocks,
      parts: [
        { kind: 'indexed', ranges: [known] },
        { kind: 'unknown', ranges: holes },
      ],
    }),
    bar({
      label: 'Verified',
      figure: chain.provable === false ? 'this chain cannot be proved' : `${(Math.floor(share * 10) / 10).toLocaleString('en')} % of the indexed blocks`,
      blocks,
      parts: [
        { kind: 'verified', ranges: verified },
        { kind: 'unprovable', ranges: unprovable },
      ],
    }),
    bar({
      label: 'Gaps',
      figure: gaps.length === 0 ? 'none' : countOf(size(gaps), 'block'),
      blocks,
      parts: [{ kind: 'gap', ranges: gaps }],
    }),
    axis(blocks),
    rangeTable([
      ...indexed.map((range) => ['indexed', range, '']),
      ...verified.map((range) => ['verified', range, '']),
      ...chain.gaps.map((gap) => ['gap', [gap.fromBlock, gap.toBlock], `${gap.reason}, ${countOf(gap.tries, 'attempt')} since ${moment(gap.since)}`]),
      ...chain.unprovableRanges.map((range) => ['not provable', [range.fromBlock, range.toBlock], range.reason]),
    ]),
  );
}

function rangeTable(rows) {
  return h(
    'details',
    null,
    h('summary', null, `Ranges as a table (${count(rows.length)})`),
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ['Blocks', 'From', 'To', 'Number', 'Note'].map((name) => h('th', { scope: 'col' }, name)))),
      h(
        'tbody',
        null,
        rows.slice(0, MAX_ROWS).map(([kind, [from, to], note]) =>
          h(
            'tr',
            null,
            h('td', { 'data-name': 'Blocks' }, kind),
            h('td', { 'data-name': 'From', class: 'number' }, count(from)),
            h('td', { 'data-name': 'To', class: 'number' }, count(to)),
            h('td', { 'data-name': 'Number', class: 'number' }, count(to - from + 1)),
            h('td', { 'data-name': 'Note' }, clean(note, 200)),
          ),
        ),
      ),
    ),
    rows.length > MAX_ROWS && h('p', { class: 'soft' }, `The first ${MAX_ROWS} rows; the query returns all of them.`),
  );
}

function state({ healthy }) {
  if (healthy === null) return 'unknown';
  return healthy ? h('span', { class: 'healthy' }, 'healthy') : h('span', { class: 'resting' }, 'not in use');
}

function nodes(endpoints) {
  if (endpoints.length === 0) return h('p', { class: 'soft' }, 'No nodes: the blocks were imported.');
  return h(
    'table',
    { class: 'nodes' },
    h('caption', null, 'Nodes'),
    h('thead', null, h('tr', null, ['Node', 'State', 'Head', 'Latency', 'Last error', 'Reported'].map((name) => h('th', { scope: 'col' }, name)))),
    h(
      'tbody',
      null,
      endpoints.map((node) =>
        h(
          'tr',
          null,
          h('td', { 'data-name': 'Node' }, h('bdi', null, clean(node.url, 100))),
          h('td', { 'data-name': 'State' }, state(node)),
          h('td', { 'data-name': 'Head', class: 'number' }, node.head === null ? 'none' : count(node.head)),
          h('td', { 'data-name': 'Latency', class: 'number' }, `${count(node.latency)} ms`),
          h('td', { 'data-name': 'Last error' }, node.lastError ? clean(node.lastError, 60) : 'none'),
          h('td', { 'data-name': 'Reported' }, moment(node.seenAt)),
        ),
      ),
    ),
  );
}
