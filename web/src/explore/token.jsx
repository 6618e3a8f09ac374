import { Amount, Copy } from './amount.jsx';
import { Document } from './document.jsx';
import { nameOf, standardOf } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { CollectionLink, Out } from './links.jsx';
import { tokenDocument, tokenHistory } from './queries.js';
import { Records } from './records.jsx';
import { Answered, Section, useAnswer } from './section.jsx';
import { short } from './texts.js';
import { Tiles } from './tiles.jsx';
import { Versions } from './versions.jsx';

// ENTRIES is the number of mints, and of burns, on a page of the history.
const ENTRIES = 20;

const STATES = { EXISTS: 'exists', BURNED: 'burned', UNKNOWN: 'unknown' };

// TokenPage shows a token: its state, its document with earlier versions, and its history.
export function TokenPage({ address, tokenId }) {
  const question = tokenDocument({ address, tokenId });
  // If blocks are missing, the token's state is unknown, but it may have a document.
  const answer = useAnswer(question, 'BLOCK_NOT_INDEXED');
  const { token, tokenMetadata, unknown } = answer.data ?? {};
  const metadata = tokenMetadata?.data[0];
  const history = (cursors) => tokenHistory({ address, tokenId, first: ENTRIES, ...cursors });
  const absent = answer.data && !token && !unknown;
  return (
    <>
      <Heading title={nameOf(metadata, tokenId)}>
        <p class="soft">
          Collection <CollectionLink address={address} />, id <span class="mono">{short(tokenId)}</span> <Copy text={tokenId} what="the id" /> <Out path={`token/${address}`} />
        </p>
      </Heading>
      <Answered id="token" title="Token" question={question} answer={answer}>
        {() => (
          <>
            {token ? <State token={token} /> : <p class="soft">{absent ? 'There is no such token: it has no mints or burns.' : 'Nothing is known: the mints and burns of this token may be in blocks that are not indexed.'}</p>}
            {(token || metadata) && <Document address={address} tokenId={tokenId} metadata={metadata} />}
          </>
        )}
      </Answered>
      {!absent && (
        <Section id="history" title="History" question={history()}>
          {({ mints, burns }, { more }) => <Records of="token" mints={mints} burns={burns} more={(cursors) => more(history(cursors))} />}
        </Section>
      )}
      {metadata && <Versions address={address} tokenId={tokenId} />}
    </>
  );
}

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
