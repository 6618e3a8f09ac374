import { Amount, Copy } from './amount.jsx';
import { Activity } from './activity.jsx';
import { RecordsOf } from './account.jsx';
import { OwnRecordCard, standardOf } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { pageLink } from './links.js';
import { Out, OutsideLink } from './links.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { collection } from './queries.js';
import { useQuery } from './router.js';
import { Answered, useAnswer } from './section.jsx';
import { clean, count, moment, short } from './texts.js';
import { Tabs } from './tabs.jsx';
import { Tiles } from './tiles.jsx';
import { Tokens } from './tokens.jsx';

const TABS = {
  tokens: ({ address }) => <Tokens address={address} />,
  mints: ({ address }) => <RecordsOf field="mints" title="Mints" address={address} Card={OwnRecordCard} />,
  burns: ({ address }) => <RecordsOf field="burns" title="Burns" address={address} Card={OwnRecordCard} />,
  activity: ({ address }) => <Activity address={address} />,
};

const NONE = 'There is no such collection: this address has no mints or burns of its own.';
const UNKNOWN = 'Nothing is known: the mints and burns of this address may be in blocks that are not indexed.';

// CollectionPage shows a collection: what its contract says of it, its totals, and one of its tabs.
export function CollectionPage({ address }) {
  const [{ tab }] = useQuery();
  const shown = Object.hasOwn(TABS, tab ?? '') ? tab : 'tokens';
  const Tab = TABS[shown];
  const question = collection({ address });
  const answer = useAnswer(question, 'BLOCK_NOT_INDEXED');
  const absent = answer.data && !answer.data.collection;
  const name = clean(answer.data?.collection?.name ?? '', 120);
  return (
    <>
      <Heading title={name || `Collection ${short(address)}`}>
        <p class="mono soft">
          {address} <Copy text={address} what="the address" /> <Out path={`token/${address}`} />
        </p>
      </Heading>
      <Answered id="collection" title="Collection" question={question} answer={answer}>
        {({ collection: found, unknown }) => (found ? <About address={address} found={found} /> : <p class="soft">{unknown ? UNKNOWN : NONE}</p>)}
      </Answered>
      {!absent && (
        <>
          <Tabs label="Of the collection" shown={shown} tabs={Object.fromEntries(Object.keys(TABS).map((name) => [name, pageLink(address, name === 'tokens' ? {} : { tab: name })]))} />
          <Tab address={address} />
        </>
      )}
    </>
  );
}

function About({ address, found }) {
  const { contractType, symbol, metadata, mints, burns, supply, firstMint, documents } = found;
  const others = ['pending', 'failed', 'untried'].filter((state) => documents[state] > 0).map((state) => `${count(documents[state])} ${state}`);
  return (
    <>
      <ImageNotice documents={[metadata]} />
      {(metadata?.image || metadata?.description || metadata?.externalUrl) && (
        <div class="about">
          {metadata.image && <Picture address={address} name="Picture of the collection" metadata={metadata} />}
          <div>
            {metadata.description && (
              <p class="description" tabIndex={0}>
                <bdi>{clean(metadata.description, 5000)}</bdi>
              </p>
            )}
            {metadata.externalUrl && <OutsideLink url={metadata.externalUrl} />}
          </div>
        </div>
      )}
      <Tiles
        rows={[
          ['Mints', count(mints.totalItems), firstMint && `first ${moment(firstMint.blockTime)}`],
          ['Burns', count(burns.totalItems)],
          ['Supply', supply === null ? 'unknown' : <Amount value={supply} />, supply === null ? 'not all blocks are indexed' : 'minted minus burned'],
          ['Tokens with a document', count(documents.resolved), others.join(', ')],
          ['Standard', standardOf(contractType), symbol && <bdi>{clean(symbol, 40)}</bdi>],
        ]}
      />
    </>
  );
}
