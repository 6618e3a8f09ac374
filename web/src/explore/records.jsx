import { useLayoutEffect, useRef } from 'preact/hooks';

import { Amount } from './amount.jsx';
import { nameOf } from './gallery.jsx';
import { merged } from './history.js';
import { pageLink } from './links.js';
import { AccountLink, BlockLink, CollectionLink, Out, TxLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { Proved } from './proof.jsx';
import { More } from './section.jsx';
import { countOf } from './texts.js';

// Records shows mints and burns as one list, with a button that loads the next page after the cursors
// of both. of says where it is, at a token, transaction or block, which the entries don't repeat.
export function Records({ mints, burns, of, oldest, more }) {
  const list = useRef();
  const before = useRef();
  const records = merged(mints, burns, oldest);
  useLayoutEffect(() => {
    list.current?.children[before.current]?.focus();
    before.current = undefined;
  }, [records.length]);
  if (records.length === 0) return <p class="soft">No mint or burn is indexed.</p>;
  const load = () => {
    before.current = records.length;
    return more({ afterMint: mints.cursor, afterBurn: burns.cursor });
  };
  return (
    <>
      {of !== 'token' && <ImageNotice documents={records.map(({ metadata }) => metadata)} />}
      <ol class="history" ref={list}>
        {records.map((record) => (
          <Record key={record.id} record={record} of={of} />
        ))}
      </ol>
      <More load={(mints.cursor || burns.cursor) && load} label={oldest ? 'Show more' : 'Show older'}>
        {countOf(mints.totalItems, 'mint')}, {countOf(burns.totalItems, 'burn')}
      </More>
    </>
  );
}

function Record({ record, of }) {
  const { kind, amount, from, to, tokenAddress, blockTime, blockNumber, transactionHash, transaction } = record;
  return (
    <li class={kind} tabIndex={-1}>
      {of !== 'token' && (
        <a class="small" href={tokenLink(record)} tabIndex={-1} aria-hidden="true">
          <Picture address={tokenAddress} tokenId={record.tokenId} name="" metadata={record.metadata} />
        </a>
      )}
      <div>
        <p>
          <strong>{kind === 'mint' ? 'Minted' : 'Burned'}</strong>{' '}
          {amount !== '1' && (
            <>
              <Amount value={amount} times />{' '}
            </>
          )}
          {of !== 'token' && (
            <>
              <TokenLink record={record} /> of <CollectionLink address={tokenAddress} />{' '}
            </>
          )}
          {kind === 'mint' ? 'to ' : 'by '}
          <AccountLink address={kind === 'mint' ? to : from} />
        </p>
        {of !== 'transaction' && (
          <p class="soft">
            {of !== 'block' && (
              <>
                <Moment at={blockTime} />, block <BlockLink number={blockNumber} />,{' '}
              </>
            )}
            transaction <TxLink hash={transactionHash} /> <Out path={`tx/${transactionHash}`} />{' '}
            {of === 'token' && <Proved number={blockNumber} />}
          </p>
        )}
        {transaction && <Others record={record} />}
      </div>
    </li>
  );
}

const tokenLink = ({ tokenAddress, tokenId }) => pageLink(`${tokenAddress}/${tokenId}`);

const TokenLink = ({ record }) => (
  <a href={tokenLink(record)}>
    <bdi>{nameOf(record.metadata, record.tokenId)}</bdi>
  </a>
);

// Others are the other records of a record's transaction, such as the mint for a burn.
function Others({ record: { id, transactionHash, transaction } }) {
  const { mints, burns } = transaction;
  const others = merged({ data: mints.data }, { data: burns.data }, true).filter((other) => other.id !== id);
  const left = mints.totalItems + burns.totalItems - 1 - others.length;
  if (others.length === 0) return null;
  return (
    <p class="others">
      <span class="soft">In the same transaction: </span>
      {others.map((other, i) => (
        <span key={other.id}>
          {i > 0 && ', '}
          <span class={other.kind}>{other.kind === 'mint' ? 'minted' : 'burned'}</span> {other.amount !== '1' && <Amount value={other.amount} times />} <TokenLink record={other} />
        </span>
      ))}
      {left > 0 && (
        <>
          {' '}
          and <a href={pageLink(`tx/${transactionHash}`)}>{countOf(left, 'other')}</a>
        </>
      )}
    </p>
  );
}
