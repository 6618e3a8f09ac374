import { Copy, Value } from './amount.jsx';
import { Facts } from './facts.jsx';
import { Heading } from './heading.jsx';
import { AccountLink, BlockLink, Out } from './links.jsx';
import { Moment } from './moment.jsx';
import { Proved } from './proof.jsx';
import { transaction } from './queries.js';
import { Records } from './records.jsx';
import { Answered, useAnswer } from './section.jsx';
import { count, short } from './texts.js';

// FIRST is the number of mints, and of burns, on a page.
const FIRST = 50;

// TransactionPage shows the mints and burns of a transaction.
export function TransactionPage({ hash }) {
  const question = transaction({ hash, first: FIRST });
  const answer = useAnswer(question, 'BLOCK_NOT_INDEXED');
  return (
    <>
      <Heading title={`Transaction ${short(hash)}`} link question={question}>
        <p class="mono soft">
          {hash} <Copy text={hash} what="the hash" /> <Out path={`tx/${hash}`} />
        </p>
        {answer.data?.transaction && (
          <p>
            <Proved number={answer.data.transaction.block.number} />
          </p>
        )}
      </Heading>
      <Answered id="transaction" title="Mints and burns" answer={answer}>
        {({ transaction: found, chain, unknown }, { more }) =>
          found ? (
            <>
              <Facts rows={factsOf(found, chain)} />
              <Records of="transaction" oldest mints={found.mints} burns={found.burns} more={(cursors) => more(transaction({ hash, first: FIRST, ...cursors }))} />
            </>
          ) : (
            <p class="soft">{unknown ? 'Nothing is known: this transaction may be in a block that is not indexed.' : 'No transaction with this hash has mints or burns.'}</p>
          )
        }
      </Answered>
    </>
  );
}

function factsOf({ index, block, details }, { chainId }) {
  return [
    ['Block', <><BlockLink number={block.number} />{index !== null && `, position ${count(index)} in the block`}</>],
    ['Time', <Moment at={block.timestamp} />],
    ['From', details && <AccountLink address={details.from} />],
    ['To', details && (details.to ? <AccountLink address={details.to} /> : 'a new contract')],
    ['Value', details && <Value wei={details.value} chainId={chainId} />],
    ['Fee', details?.fee && <Value wei={details.fee} chainId={chainId} />],
  ];
}
