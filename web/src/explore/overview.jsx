import { useEffect, useState } from 'preact/hooks';

import { Timeline } from './activity.jsx';
import { ask } from './api.js';
import { chainName } from './chains.js';
import { CollectionCard, Gallery, nameOf, RecordCard } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { changed, reorgsOf } from './lately.js';
import { pageLink } from './links.js';
import { BlockLink } from './links.jsx';
import { pause, useNews } from './live.js';
import { Moment } from './moment.jsx';
import { chainState, lastDay, mintsOf, newestCollections, news, overview } from './queries.js';
import { Answered, Frame, useAnswer } from './section.jsx';
import { ChainTabs } from './tabs.jsx';
import { root } from './page.js';
import { count, countOf, duration } from './texts.js';

// Page sizes of mints and collections, and the numbers of reorgs and of their records that are shown.
const CARDS = 12;
const COLLECTIONS = 6;
const REORGS = 3;
const NAMES = 6;

// MOST is the maximum number of mints on the page.
const MOST = 960;

// Overview is the front page: what happened lately, as it happens.
export function Overview() {
  const question = overview({ first: CARDS, collections: COLLECTIONS });
  const answer = useAnswer(question);
  const { data, update, more } = answer;
  const head = data?.chain.head;
  const [now, set] = useState();
  useEffect(() => {
    // Without the numbers of the last day, the page is still useful.
    if (head) ask(lastDay({ fromTime: Math.max(0, head.timestamp - 86_399) })).then(set, () => {});
  }, [data?.changes.cursor]);
  const total = now?.all.totalItems ?? data?.mints.totalItems;
  return (
    <>
      <Heading title="What happened lately" question={question}>{head && <Hero chain={data.chain} mints={total} collections={(now ?? data).collections.totalItems} day={now} />}</Heading>
      <ChainTabs shown="lately" />
      {head && <Live cursor={data.changes.cursor} answer={answer} />}
      {data && !head && <Empty found={answer.again} />}
      {(!data || head) && (
        <Answered id="mints" title="Newest mints" answer={answer} cards={CARDS}>
          {({ mints }) => {
            // Pages by cursor would not fit together, because the list changes.
            const next = async () => {
              const page = await ask(mintsOf({ first: mints.data.length + CARDS }));
              update((before) => ({ ...before, ...page }));
            };
            return <Gallery page={{ data: mints.data, totalItems: total, cursor: mints.data.length < Math.min(MOST, total) }} what="mint" Card={RecordCard} more={next} />;
          }}
        </Answered>
      )}
      {head && <Timeline extent={{ chain: data.chain, changes: data.changes, lastMint: data.mints, firstMint: data.firstMint, firstBurn: data.firstBurn, lastBurn: data.lastBurn }} recent />}
      {head && (
        <Frame id="collections" title="Newest collections">
          <Gallery page={data.collections} what="collection" Card={CollectionCard} more={(after) => more(newestCollections({ first: COLLECTIONS, after }))} />
        </Frame>
      )}
    </>
  );
}

// Hero says in a line which chain it is, where its head is, and what the last day brought.
function Hero({ chain: { chainId, head }, mints, collections, day }) {
  return (
    <p class="hero">
      <strong>{chainName(chainId)}</strong> is at block <BlockLink number={head.number} /> (<Moment at={head.timestamp} />)
      {day && (
        <>
          , with <strong>{countOf(day.mints.totalItems, 'mint')}</strong> and <strong>{countOf(day.burns.totalItems, 'burn')}</strong> in its last day
        </>
      )}
      . In all, {countOf(mints, 'mint')} in {countOf(collections, 'collection')}.
    </p>
  );
}

const STATES = { live: 'Live', waiting: 'The connection is lost. Trying again…', off: 'Paused' };

// OLD is the age in seconds from which on the last block is called old.
const OLD = 3_600;

// Live keeps an answer up to date, and shows whether it does, and the last reorgs.
function Live({ cursor, answer: { data, update, again } }) {
  const [reorgs, set] = useState([]);
  const state = useNews({ after: cursor }, async (after) => {
    const found = await ask(news({ after, first: CARDS }), 'CHANGES_EXPIRED');
    // The changes since then are no longer known.
    if (!found.changes) await again();
    else {
      update((now) => {
        set((before) => [...reorgsOf(now, found), ...before].slice(0, REORGS));
        return changed(now, found, CARDS);
      });
    }
    return found.now.cursor;
  });
  const age = Date.now() / 1000 - data.chain.head.timestamp;
  return (
    <div class="live">
      <p class={`soft ${state}`}>
        <span role="status">
          {STATES[state]}
          {state === 'live' && age > OLD && `, but the last block is ${duration(age)} old`}
        </span>
        <button type="button" onClick={() => pause(state !== 'off')}>
          {state === 'off' ? 'Continue' : 'Pause'}
        </button>
      </p>
      {reorgs.length > 0 && (
        <div class="reorgs">
          {reorgs.map((reorg) => (
            <Reorg key={reorg.id} {...reorg} />
          ))}
          <button type="button" onClick={() => set([])}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}

// SOON is the time in milliseconds after which an empty database is looked at again.
const SOON = 10_000;

// Empty says what an empty database waits for, or what to do next. found is called when it has a block.
function Empty({ found }) {
  const { data, again } = useAnswer(chainState());
  useEffect(() => {
    if (data?.chain.head) return found();
    const timer = setTimeout(again, SOON);
    return () => clearTimeout(timer);
  }, [data]);
  const { following, endpoints = [] } = data?.chain ?? {};
  const heads = endpoints.map(({ head }) => head).filter((head) => head !== null);
  return (
    <div class="notice" role="status">
      <p>
        <strong>No block is indexed yet.</strong>{' '}
        {following || endpoints.length > 0
          ? `${countOf(endpoints.length, 'node')} ${endpoints.length === 1 ? 'is' : 'are'} followed${heads.length > 0 ? `, up to block ${count(Math.max(...heads))}` : ''}. This page changes when the first block comes.`
          : 'Give the server a node, as in '}
        {!following && endpoints.length === 0 && (
          <>
            <code>mintburn serve --rpc https://…</code>, or import blocks. <a href={`${root}docs/`}>The documentation says how.</a>
          </>
        )}
      </p>
    </div>
  );
}

const CAUSES = { REORG: 'A reorg', REPAIR: 'A repair', REDECODE: 'Another decoding' };

function Reorg({ blocks: { fromBlock, toBlock }, cause, gone, came }) {
  return (
    <div class="notice reorg" role="status">
      <p>
        <strong>{CAUSES[cause]}</strong> made {fromBlock === toBlock ? 'block' : 'blocks'} <BlockLink number={fromBlock} />
        {toBlock > fromBlock && (
          <>
            {' '}
            to <BlockLink number={toBlock} />
          </>
        )}{' '}
        void{gone.length > 0 && <Names records={gone} Tag="s" before=", with " />}. {came.length > 0 ? <Names records={came} Tag="a" before="In their place came " /> : 'Nothing came in their place yet'}.
      </p>
    </div>
  );
}

// Names lists records by the names of their tokens.
const Names = ({ records, Tag, before }) => (
  <>
    {before}
    {records.slice(0, NAMES).map(({ id, __typename, tokenAddress, tokenId, metadata }, i) => (
      <span key={id}>
        {i > 0 && ', '}
        {__typename === 'Burn' && 'the burn of '}
        <Tag href={Tag === 'a' ? pageLink(`${tokenAddress}/${tokenId}`) : undefined}>
          <bdi>{nameOf(metadata, tokenId)}</bdi>
        </Tag>
      </span>
    ))}
    {records.length > NAMES && ` and ${countOf(records.length - NAMES, 'other')}`}
  </>
);
