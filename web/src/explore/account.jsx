import { Copy } from './amount.jsx';
import { Gallery, RecordCard } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { pageLink } from './links.js';
import { Out } from './links.jsx';
import { burnsOf, findAddress, mintsOf } from './queries.js';
import { useQuery } from './router.js';
import { Section, useAnswer } from './section.jsx';
import { short } from './texts.js';
import { Tabs } from './tabs.jsx';

// CARDS is the number of mints, or of burns, on a page.
const CARDS = 24;

const TITLES = { mints: 'Mints received', burns: 'Burns sent' };

// AccountPage shows the mints that an address received, or the burns that it sent.
export function AccountPage({ address: account }) {
  const [{ tab }] = useQuery();
  const { data } = useAnswer(findAddress({ address: account }), 'BLOCK_NOT_INDEXED');
  const shown = tab === 'burns' ? 'burns' : 'mints';
  return (
    <>
      <Heading title={`Account ${short(account)}`} link question={QUESTIONS[shown]({ account, first: CARDS })}>
        <p class="mono soft">
          {account} <Copy text={account} what="the address" /> <Out path={`address/${account}`} />
        </p>
        {data?.collections?.data.length > 0 && (
          <p class="soft">
            It is also a collection: see <a href={pageLink(account)}>its tokens</a>.
          </p>
        )}
      </Heading>
      <Tabs
        label="Of the account"
        shown={TITLES[shown]}
        tabs={{ [TITLES.mints]: pageLink(`account/${account}`), [TITLES.burns]: pageLink(`account/${account}`, { tab: 'burns' }) }}
        counts={{ [TITLES.mints]: data?.mints?.totalItems, [TITLES.burns]: data?.burns?.totalItems }}
      />
      <RecordsOf key={shown} field={shown} account={account} title={TITLES[shown]} />
    </>
  );
}

const QUESTIONS = { mints: mintsOf, burns: burnsOf };

// RecordsOf is a gallery of the mints or burns of a collection or account, newest first.
export function RecordsOf({ field, title, Card = RecordCard, ...filter }) {
  const question = (after) => QUESTIONS[field]({ ...filter, first: CARDS, after });
  return (
    <Section id={field} title={title} question={question()} cards={CARDS}>
      {({ [field]: page }, { more }) => <Gallery page={page} what={field.slice(0, -1)} Card={Card} more={(after) => more(question(after))} />}
    </Section>
  );
}
