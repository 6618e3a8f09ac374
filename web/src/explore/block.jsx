import { useEffect } from 'preact/hooks';

import { Heading } from './heading.jsx';
import { pageLink } from './links.js';
import { Out } from './links.jsx';
import { Moment } from './moment.jsx';
import { Proved } from './proof.jsx';
import { blockRecords, findTags, neighbours } from './queries.js';
import { Records } from './records.jsx';
import { Section, useAnswer } from './section.jsx';
import { count } from './texts.js';

// FIRST is the number of mints, and of burns, on a page.
const FIRST = 50;

// BlockPage shows the mints and burns of a block, and leads to the blocks around it that have some.
export function BlockPage({ number: text }) {
  return /^[0-9]/.test(text) ? <Numbered number={Number(text)} /> : <Tagged tag={text} />;
}

// Tagged leads to the block that a tag names, where the server did not.
function Tagged({ tag }) {
  const answer = useAnswer(findTags());
  const block = answer.data?.chain[tag === 'latest' ? 'head' : 'finalized'];
  useEffect(() => {
    if (block) location.replace(pageLink(`block/${block.number}`));
  }, [block]);
  return (
    <>
      <Heading title={tag === 'latest' ? 'Latest block' : 'Finalized block'} />
      {answer.data && !block && <p class="soft">There is none yet.</p>}
    </>
  );
}

function Numbered({ number }) {
  return (
    <>
      <Heading title={`Block ${count(number)}`} link question={blockRecords({ number, first: FIRST })}>
        <p>
          <Proved number={number} />
        </p>
        <Neighbours number={number} />
      </Heading>
      <Section id="block" title="Mints and burns" question={blockRecords({ number, first: FIRST })} expected="BLOCK_NOT_INDEXED">
        {({ mints, burns }, { more }) =>
          mints && burns ? (
            <>
              {[...mints.data, ...burns.data].slice(0, 1).map(({ blockTime }) => (
                <p class="soft">
                  <Moment at={blockTime} />
                </p>
              ))}
              <Records of="block" oldest mints={mints} burns={burns} more={(cursors) => more(blockRecords({ number, first: FIRST, ...cursors }))} />
            </>
          ) : (
            <p class="soft">Nothing is known: this block is not indexed.</p>
          )
        }
      </Section>
    </>
  );
}

function Neighbours({ number }) {
  const { data } = useAnswer(neighbours({ number }));
  const numbers = (...lists) => lists.flatMap((list) => list?.data ?? []).map(({ blockNumber }) => blockNumber);
  const before = numbers(data?.mintsBefore, data?.burnsBefore);
  const after = numbers(data?.mintsAfter, data?.burnsAfter);
  const link = (found, label) => <a href={pageLink(`block/${found}`)}>{`${label} ${count(found)}`}</a>;
  return (
    <p class="neighbours">
      {before.length > 0 && link(Math.max(...before), '← Block')}
      {after.length > 0 && link(Math.min(...after), "→ Block")}
      <Out path={`block/${number}`} />
    </p>
  );
}
