import { Amount, Copy } from './amount.jsx';
import { Document } from './document.jsx';
import { nameOf, standardOf } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { AccountLink, BlockLink, CollectionLink, Out, TxLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { Proved } from './proof.jsx';
import { tokenDocument, tokenHistory } from './queries.js';
import { Records } from './records.jsx';
import { Answered, Section, useAnswer } from './section.jsx';
import { short } from './texts.js';
import { Tiles } from './tiles.jsx';
import { Versions } from './versions.jsx';

// ENTRIES is the number of mints, and of burns, on a page of the history.
const ENTRIES = 20;

const STATES = { EXISTS: 'exists', BURNED: 'burned', UNKNOWN: 'unknown' };

const NONE = 'There is no such token: it has no mints or burns.';
const UNKNOWN = 'Nothing is known: the mints and burns of this token may be in blocks that are not indexed.';

// TokenPage shows a token: its state, its history, its document with earlier versions.
export function TokenPage({ address, tokenId }) {
  const question = tokenDocument({ address, tokenId });
  // If blocks are missing, the token's state is unknown, but it may have a document.
  const answer = useAnswer(question, 'BLOCK_NOT_INDEXED');
  const { token, tokenMetadata, unknown } = answer.data ?? {};
  const metadata = tokenMetadata?.data[0];
  const history = (cursors) => tokenHistory({ address, tokenId, first: ENTRIES, ...cursors });
  const absent = answer.data && !token && !unknown;
  const burned = token?.state === 'BURNED';
  const picture = !absent && (
    <div class={burned ? 'burned' : undefined}>
      <Picture address={address} tokenId={tokenId} name={nameOf(metadata, tokenId)} metadata={metadata} />
    </div>
  );
  return (
    <>
      <Heading title={nameOf(metadata, tokenId)} picture={picture} state={burned && <span class="badge">burned</span>} link question={question}>
        <p class="soft">
          Collection <CollectionLink address={address} />, id <span class="mono">{short(tokenId)}</span> <Copy text={tokenId} what="the id" /> <Out path={`token/${address}`} />
        </p>
        {burned && token.lastBurn && <Burned {...token.lastBurn} />}
        <ImageNotice documents={[metadata]} />
      </Heading>
      <Answered id="token" title="State" answer={answer} tiles={5}>
        {() => (token ? <State token={token} /> : <p class="soft">{absent ? NONE : UNKNOWN}</p>)}
      </Answered>
      {!absent && (
        <Section id="history" title="History" question={history()}>
          {({ mints, burns }, { more }) => <Records of="token" mints={mints} burns={burns} more={(cursors) => more(history(cursors))} />}
        </Section>
      )}
      {(token || metadata) && (
        <Answered id="document" title="Document" answer={answer}>
          {() => <Document address={address} metadata={metadata} />}
        </Answered>
      )}
      {metadata && <Versions address={address} tokenId={tokenId} />}
    </>
  );
}

// Burned says by whom, when and where a token was burned.
const Burned = ({ from, blockNumber, blockTime, transactionHash }) => (
  <p>
    <strong class="burn">Burned</strong> by <AccountLink address={from} /> <Moment at={blockTime} /> in transaction <TxLink hash={transactionHash} />, block <BlockLink number={blockNumber} />{' '}
    <Proved number={blockNumber} />
  </p>
);

function State({ token }) {
  const amount = (value) => (value === null ? 'unknown' : <Amount value={value} />);
  return (
    <Tiles
      rows={[
        ['State', STATES[token.state]],
        ['Standard', standardOf(token.contractType)],
        ['Minted', amount(token.minted)],
        ['Burned', amount(token.burned)],
        ['Supply', amount(token.supply)],
      ]}
    />
  );
}
