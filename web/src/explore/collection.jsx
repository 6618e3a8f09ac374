import { Amount, Copy } from './amount.jsx';
import { Activity } from './activity.jsx';
import { RecordsOf } from './account.jsx';
import { BurnCard, MintCard, standardOf } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { pageLink } from './links.js';
import { Out, OutsideLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { collection } from './queries.js';
import { useQuery } from './router.js';
import { Answered, useAnswer } from './section.jsx';
import { clean, count, short } from './texts.js';
import { Tabs } from './tabs.jsx';
import { Tiles } from './tiles.jsx';
import { Tokens } from './tokens.jsx';

const TABS = {
  tokens: ({ address }) => <Tokens address={address} />,
  mints: ({ address }) => <RecordsOf field="mints" title="Mints" address={address} Card={MintCard} />,
  burns: ({ address }) => <RecordsOf field="burns" title="Burns" address={address} Card={BurnCard} />,
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
  const found = answer.data?.collection;
  const absent = answer.data && !found;
  const metadata = found?.metadata;
  const picture = metadata?.image && <Picture address={address} name="Picture of the collection" metadata={metadata} />;
  return (
    <>
      <Heading title={clean(found?.name ?? '', 120) || `Collection ${short(address)}`} picture={picture} link question={question}>
        <p class="mono soft">
          {address} <Copy text={address} what="the address" /> <Out path={`token/${address}`} />
        </p>
        {metadata?.description && (
          <p class="description" tabIndex={0}>
            <bdi>{clean(metadata.description, 5000)}</bdi>
          </p>
        )}
        {metadata?.externalUrl && (
          <p>
            <OutsideLink url={metadata.externalUrl} />
          </p>
        )}
        {picture && <ImageNotice documents={[metadata]} />}
      </Heading>
      <Answered id="collection" title="In numbers" question={question} answer={answer} tiles={5}>
        {({ collection: found, unknown }) => (found ? <Totals found={found} /> : <p class="soft">{unknown ? UNKNOWN : NONE}</p>)}
      </Answered>
      {!absent && (
        <>
          <Tabs
            label="Of the collection"
            shown={shown}
            tabs={Object.fromEntries(Object.keys(TABS).map((name) => [name, pageLink(address, name === 'tokens' ? {} : { tab: name })]))}
            counts={{ tokens: found?.tokens.totalItems, mints: found?.mints.totalItems, burns: found?.burns.totalItems }}
          />
          <Tab address={address} />
        </>
      )}
    </>
  );
}

function Totals({ found: { contractType, symbol, mints, burns, supply, firstMint, documents } }) {
  const others = ['pending', 'failed', 'untried'].filter((state) => documents[state] > 0).map((state) => `${count(documents[state])} ${state}`);
  return (
    <Tiles
      rows={[
        ['Mints', count(mints.totalItems), firstMint && <>first <Moment at={firstMint.blockTime} /></>],
        ['Burns', count(burns.totalItems)],
        ['Supply', supply === null ? 'unknown' : <Amount value={supply} />, supply === null ? 'not all blocks are indexed' : 'minted minus burned'],
        ['Tokens with a document', count(documents.resolved), others.join(', ')],
        ['Standard', standardOf(contractType), symbol && <bdi>{clean(symbol, 40)}</bdi>],
      ]}
    />
  );
}
