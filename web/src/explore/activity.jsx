import { useEffect, useReducer, useRef, useState } from 'preact/hooks';

import { ask } from './api.js';
import { csvFile, download } from '../tables.js';
import { Brush } from './brush.jsx';
import { draw, pictureOf } from './chart.js';
import { barsOf, moved, rangeOf, startOf, STEPS, stepsFor } from './intervals.js';
import { useNews } from './live.js';
import { activity, completeness, extent } from './queries.js';
import { useQuery } from './router.js';
import { Answered, Frame, ProblemBox, useAnswer } from './section.jsx';
import { Table } from './table.jsx';
import { count, countOf, iso } from './texts.js';

const ID = { id: 'activity', title: 'Mints and burns' };

// YEAR is the length of the range that Timeline shows at first, with recent.
const YEAR = 365 * 86_400;
const DAY = STEPS.find(({ name }) => name === '1d');

// Activity shows mints and burns by time, of one collection or all.
export function Activity({ address }) {
  const question = extent({ address });
  const answer = useAnswer(question);
  const { data, problem } = answer;
  if (data && !problem) {
    return (
      <>
        <Follow address={address} answer={answer} question={question} />
        <Timeline address={address} extent={data} />
      </>
    );
  }
  return (
    <Answered {...ID} answer={answer}>
      {() => null}
    </Answered>
  );
}

// Follow keeps the extent of a collection's records up to date.
function Follow({ address, answer: { data, update }, question }) {
  useNews({ after: data.changes.cursor, addresses: [address] }, async () => {
    const now = await ask(question);
    update(() => now);
    return now.changes.cursor;
  });
  return null;
}

// Timeline shows mints and burns by time: at first from the first record to the last, or with recent only the last
// year, unless all its records are in its last bar and there are older ones. extent is an answer with the first and the
// last records, and the cursor of then. The URL's query holds what the viewer chose.
export function Timeline({ address, extent: { chain, changes, ...lists }, recent }) {
  const times = Object.values(lists).flatMap(({ data }) => data.map(({ blockTime }) => blockTime));
  const cursor = useRef(changes.cursor);
  if (times.length === 0) {
    return (
      <Frame {...ID}>
        <p class="soft">{chain.head ? 'No mint or burn is indexed.' : 'No block is indexed yet.'}</p>
      </Frame>
    );
  }
  return <Chosen address={address} whole={[Math.min(...times), Math.max(...times, recent && cursor.current !== changes.cursor ? chain.head.timestamp : 0)]} recent={recent} cursor={changes.cursor} />;
}

function Chosen({ address, whole, recent, cursor }) {
  const [values, set] = useQuery();
  const [old, setOld] = useState(false);
  const initial = recent && !old ? [Math.max(whole[0], startOf(DAY, whole[1] - YEAR)), whole[1]] : whole;
  const range = rangeOf(values.range) ?? initial;
  const steps = stepsFor(range);
  const step = steps.find(({ name }) => name === values.interval) ?? steps[0];
  // At the end, the question stays the same until the next bar begins.
  const asked = [range[0], range[1] < whole[1] ? range[1] : startOf(step, range[1], 1) - 1];
  const question = activity({ address, interval: step.interval, fromTime: asked[0], toTime: asked[1] });
  const answer = useAnswer(question, 'BLOCK_NOT_INDEXED');
  const bars = answer.data ? barsOf(step, asked, answer.data) : [];
  useEffect(() => {
    if (range === initial && range[0] > whole[0] && !answer.busy && !answer.problem) setOld(bars.slice(0, -1).every(({ mints, burns }) => mints + burns === 0));
  });
  const holes = useAnswer(!answer.busy && answer.data?.whole === null ? completeness(bars) : null, 'BLOCK_NOT_INDEXED');
  const problem = answer.problem ?? holes.problem;
  const shown = useRef();
  if (!answer.busy && !holes.busy && !problem && bars.length > 0) {
    shown.current = { step, totals: answer.data, bars: bars.map((bar, i) => ({ ...bar, unknown: answer.data.whole === null && holes.data[`b${i}`] === null })) };
  }
  const seen = useRef(cursor);
  useEffect(() => {
    // What has changed is at the end.
    if (seen.current !== cursor && range[1] >= whole[1]) answer.again();
    seen.current = cursor;
  }, [cursor]);
  const zoom = (to) => set({ range: to.join('-'), interval: undefined });
  const inside = range[0] > whole[0] || range[1] < whole[1];
  return (
    <Frame {...ID} busy={answer.busy || holes.busy}>
      <div class="activity">
        <div class="controls">
          <label>
            Bars of{' '}
            <select value={step.name} onChange={({ target }) => set({ interval: target.value === steps[0].name ? undefined : target.value })}>
              {steps.slice(0, 4).map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {act(range[0] > whole[0], 'Earlier', () => zoom(moved(range, whole, { by: -1 })))}
          {act(range[1] < whole[1], 'Later', () => zoom(moved(range, whole, { by: 1 })))}
          {act(inside, 'Zoom out', () => zoom(moved(range, whole, { times: 3 })))}
          {act(values.range, 'Reset', () => set({ range: undefined, interval: undefined }))}
          <Switch name="burns" label="Burns on their own axis" />
          <Switch name="supply" label="Supply" />
        </div>
        {problem && <ProblemBox problem={problem} again={answer.problem ? answer.again : holes.again} />}
        {shown.current && !problem && <Plot {...shown.current} address={address} own={values.burns === 'own'} supply={values.supply === 'shown'} zoom={zoom} />}
      </div>
    </Frame>
  );
}

// act returns a button, if it can do something.
const act = (can, label, does) =>
  can && (
    <button type="button" onClick={does}>
      {label}
    </button>
  );

// SWITCHES are the values of the URL's query that switch something on.
const SWITCHES = { burns: 'own', supply: 'shown' };

function Switch({ name, label }) {
  const [values, set] = useQuery();
  return (
    <label>
      <input type="checkbox" checked={values[name] === SWITCHES[name]} onChange={({ target }) => set({ [name]: target.checked ? SWITCHES[name] : undefined })} /> {label}
    </label>
  );
}

function Plot({ address, step, totals, bars, own, supply, zoom }) {
  const canvas = useRef();
  const key = useRef();
  const chart = useRef();
  const [theme, redraw] = useReducer((n) => n + 1, 0);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    return () => dark.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    chart.current = draw(canvas.current, { bars, unit: step.label, own, supply }, key.current);
    return () => chart.current.destroy();
  }, [JSON.stringify([bars, step, own, supply]), theme]);
  const [first, last] = [bars[0], bars.at(-1)];
  const span = `from ${day(first.from)} to ${day(last.to)}, UTC`;
  const summary = `${countOf(totals.mints.totalItems, 'mint')} and ${countOf(totals.burns.totalItems, 'burn')} ${span}`;
  const file = `mints-and-burns-${address ?? 'all'}-${day(first.from)}-${day(last.to)}`;
  return (
    <>
      <p class="soft">{summary}</p>
      <Brush bars={bars} chart={chart} zoom={zoom}>
        <canvas ref={canvas} role="img" aria-label={`${summary}. The numbers are in the table below.`} />
      </Brush>
      <ul class="key" ref={key}>
        <li class="of-mints">mints per {step.label}</li>
        <li class="of-burns">burns per {step.label}</li>
        <li class="of-supply" hidden={!supply}>
          supply: mints so far, less burns
        </li>
        {bars.some(({ unknown }) => unknown) && <li class="of-unknown">blocks that are not indexed</li>}
      </ul>
      <div class="controls">
        <button type="button" onClick={async () => download(`${file}.png`, await pictureOf(canvas.current, `${address ?? 'All collections'}: ${summary}`))}>
          PNG
        </button>
        <button type="button" onClick={() => download(`${file}.csv`, csvFile(tableOf(bars)))}>
          CSV
        </button>
      </div>
      <details>
        <summary>Numbers as a table</summary>
        <Table
          names={['From', '#Mints', '#Burns', '#Supply', 'Note']}
          rows={bars.map(({ name, mints, burns, supply: now, unknown }) => [name, count(mints), count(burns), count(now), unknown ? 'not all blocks are indexed' : ''])}
        />
      </details>
    </>
  );
}

const day = (time) => iso(time).slice(0, 10);

// tableOf returns bars as a table for csvOf.
const tableOf = (bars) => ({
  columns: ['from', 'to', 'mints', 'burns', 'supply', 'complete'],
  rows: bars.map(({ from, to, mints, burns, supply, unknown }) => [iso(from), iso(to), ...[mints, burns, supply, !unknown].map(String)]),
});
