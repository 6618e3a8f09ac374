import { Amount, Copy } from './amount.jsx';
import { Facts } from './facts.jsx';
import { Heading } from './heading.jsx';
import { AccountLink, BlockLink, Out } from './links.jsx';
import { Moment } from './moment.jsx';
import { transaction } from './queries.js';
import { Records } from './records.jsx';
import { Section } from './section.jsx';
import { count, short } from './texts.js';

// FIRST is the number of mints, and of burns, on a page.
const FIRST = 50;

// TransactionPage shows the mints and burns of a transaction.
export function TransactionPage({ hash }) {
  return (
    <>
      <Heading title={`Transaction ${short(hash)}`}>
        <p class="mono soft">
          {hash} <Copy text={hash} what="the hash" /> <Out path={`tx/${hash}`} />
        </p>
      </Heading>
      <Section id="transaction" title="Mints and burns" question={transaction({ hash, first: FIRST })} expected="BLOCK_NOT_INDEXED">
        {({ transaction: found, unknown }, { more }) =>
          found ? (
            <>
              <Facts rows={factsOf(found)} />
              <Records of="transaction" oldest mints={found.mints} burns={found.burns} more={(cursors) => more(transaction({ hash, first: FIRST, ...cursors }))} />
            </>
          ) : (
            <p class="soft">{unknown ? 'Nothing is known: this transaction may be in a block that is not indexed.' : 'No transaction with this hash has mints or burns.'}</p>
          )
        }
      </Section>
    </>
  );
}

function factsOf({ index, block, details }) {
  return [
    ['Block', <><BlockLink number={block.number} />{index !== null && `, transaction ${count(index)} of it`}</>],
    ['Time', <Moment at={block.timestamp} />],
    ['From', details && <AccountLink address={details.from} />],
    ['To', details && (details.to ? <AccountLink address={details.to} /> : 'a new contract')],
    ['Value', details && <><Amount value={details.value} /> wei</>],
    ['Fee', details?.fee && <><Amount value={details.fee} /> wei</>],
  ];
}
