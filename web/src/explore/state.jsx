import { Axis, Bar, Hatching } from './bars.jsx';
import { chainName } from './chains.js';
import { Heading } from './heading.jsx';
import { BlockLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { chainState } from './queries.js';
import { complement, size } from './ranges.js';
import { Section } from './section.jsx';
import { Table } from './table.jsx';
import { ChainTabs } from './tabs.jsx';
import { clean, count, countOf, duration, moment } from './texts.js';
import { Tiles } from './tiles.jsx';

// MAX_ROWS is the number of rows in the table below the bars.
const MAX_ROWS = 200;

const pairs = (ranges) => ranges.map(({ fromBlock, toBlock }) => [fromBlock, toBlock]);

// StatePage shows the indexed and verified blocks, and the nodes.
export function StatePage() {
  return (
    <>
      <Heading title="The state of the index" question={chainState()} />
      <ChainTabs shown="state of the index" />
      <Section id="chain" title="Blocks" question={chainState()} tiles={4}>
        {({ chain }) => (
          <>
            {chain.head ? <Figures chain={chain} /> : <p class="soft">No block is indexed yet.</p>}
            {chain.head && <Bars chain={chain} />}
            <Nodes endpoints={chain.endpoints} />
          </>
        )}
      </Section>
    </>
  );
}

function Figures({ chain: { chainId, head, finalized, lag, contracts, following, endpoints } }) {
  return (
    <Tiles
      rows={[
        ['Chain', chainName(chainId), `${chainId === null ? 'id unknown' : `id ${chainId}`}, ${contracts ? countOf(contracts.length, 'collection') : 'all collections'}`],
        ['Last indexed block', <BlockLink number={head.number} />, <Moment at={head.timestamp} />],
        ['Finalized block', finalized ? count(finalized.number) : 'unknown', finalized && <Moment at={finalized.timestamp} />],
        ['Lag', duration(lag), following || endpoints.length === 0 ? 'since the last indexed block' : <span class="resting">no process follows the chain</span>],
      ]}
    />
  );
}

function Bars({ chain }) {
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
  return (
    <div class="bars">
      <Hatching />
      <Bar
        label="Indexed"
        figure={`${countOf(size(indexed), 'block')}, ${holes.length === 0 ? 'no holes' : countOf(holes.length, 'hole')}`}
        blocks={blocks}
        parts={[
          { kind: 'indexed', ranges: [known] },
          { kind: 'unknown', ranges: holes },
        ]}
      />
      <Bar
        label="Verified"
        figure={chain.provable === false ? 'this chain cannot be proved' : `${(Math.floor(share * 10) / 10).toLocaleString('en')} % of the indexed blocks`}
        blocks={blocks}
        parts={[
          { kind: 'verified', ranges: verified },
          { kind: 'unprovable', ranges: unprovable },
        ]}
      />
      <Bar label="Gaps" figure={gaps.length === 0 ? 'none' : countOf(size(gaps), 'block')} blocks={blocks} parts={[{ kind: 'gap', ranges: gaps }]} />
      <Axis blocks={blocks} />
      <Ranges
        rows={[
          ...indexed.map((range) => ['indexed', range, '']),
          ...verified.map((range) => ['verified', range, '']),
          ...chain.gaps.map((gap) => ['gap', [gap.fromBlock, gap.toBlock], `${gap.reason}, ${countOf(gap.tries, 'attempt')} since ${moment(gap.since)}`]),
          ...chain.unprovableRanges.map((range) => ['not provable', [range.fromBlock, range.toBlock], range.reason]),
        ]}
      />
    </div>
  );
}

const Ranges = ({ rows }) => (
  <details>
    <summary>Ranges as a table ({count(rows.length)})</summary>
    <Table
      names={['Blocks', '#From', '#To', '#Number', 'Note']}
      rows={rows.slice(0, MAX_ROWS).map(([kind, [from, to], note]) => [kind, count(from), count(to), count(to - from + 1), clean(note, 200)])}
    />
    {rows.length > MAX_ROWS && <p class="soft">The first {MAX_ROWS} rows; the query returns all of them.</p>}
  </details>
);

function stateOf({ healthy }) {
  if (healthy === null) return 'unknown';
  return healthy ? <span class="healthy">healthy</span> : <span class="resting">not in use</span>;
}

function Nodes({ endpoints }) {
  if (endpoints.length === 0) return <p class="soft">No process follows the chain with a node.</p>;
  return (
    <Table
      class="nodes"
      caption="Nodes"
      names={['Node', 'State', '#Head', '#Latency', 'Last error', 'Reported']}
      rows={endpoints.map((node) => [
        <bdi>{clean(node.url, 100)}</bdi>,
        stateOf(node),
        node.head === null ? 'none' : count(node.head),
        `${count(node.latency)} ms`,
        node.lastError ? clean(node.lastError, 60) : 'none',
        moment(node.seenAt),
      ])}
    />
  );
}
