import { Copy } from './amount.jsx';
import { Gallery, RecordCard } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { pageLink } from './links.js';
import { Out } from './links.jsx';
import { burnsOf, mintsOf } from './queries.js';
import { Section } from './section.jsx';
import { short } from './texts.js';

// CARDS is the number of mints, and of burns, on a page.
const CARDS = 24;

// AccountPage shows the mints that an address received and the burns that it sent.
export function AccountPage({ address: account }) {
  return (
    <>
      <Heading title={`Account ${short(account)}`}>
        <p class="mono soft">
          {account} <Copy text={account} what="the address" /> <Out path={`address/${account}`} />
        </p>
        <p class="soft">
          Mints that it received and burns that it sent. Is it a contract? See <a href={pageLink(account)}>its own tokens</a>.
        </p>
      </Heading>
      <RecordsOf field="mints" account={account} title="Mints received" />
      <RecordsOf field="burns" account={account} title="Burns sent" />
    </>
  );
}

const QUESTIONS = { mints: mintsOf, burns: burnsOf };

// RecordsOf is a gallery of the mints or burns of a collection or account, newest first.
export function RecordsOf({ field, title, Card = RecordCard, ...filter }) {
  const question = (after) => QUESTIONS[field]({ ...filter, first: CARDS, after });
  return (
    <Section id={field} title={title} question={question()}>
      {({ [field]: page }, { more }) => <Gallery page={page} what={field.slice(0, -1)} Card={Card} more={(after) => more(question(after))} />}
    </Section>
  );
}
