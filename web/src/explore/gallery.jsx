import { useLayoutEffect, useRef } from 'preact/hooks';

import { Amount } from './amount.jsx';
import { pageLink } from './links.js';
import { CollectionLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { More } from './section.jsx';
import { clean, count, countOf, short } from './texts.js';

// Gallery shows the loaded items of a connection as cards, with a button that adds the next page.
// Card is the component of a card, with the property item; what names one item, and more loads the
// page after a cursor.
export function Gallery({ page: { data, cursor, totalItems }, what, Card, more }) {
  const list = useRef();
  const focused = useRef();
  useLayoutEffect(() => {
    if (focused.current) list.current.children[focused.current]?.querySelector('a').focus({ preventScroll: true });
    focused.current = undefined;
  }, [data.length]);
  if (data.length === 0) return <p class="soft">No {what} is indexed.</p>;
  const load = async () => {
    focused.current = data.length;
    await more(cursor);
  };
  return (
    <>
      <ImageNotice documents={data.map(documentOf)} />
      <ul class="gallery" ref={list}>
        {data.map((item) => (
          <Card item={item} key={item.id} />
        ))}
      </ul>
      <More load={cursor && load}>
        {count(data.length)} of {countOf(totalItems, what)}
      </More>
    </>
  );
}

// Name is the name of a token in at most two lines, with its id below.
const Name = ({ metadata, tokenId }) => (
  <>
    <bdi class="card-name">{nameOf(metadata, tokenId)}</bdi>
    {metadata?.name && <span class="soft mono">#{short(tokenId)}</span>}
  </>
);

// RecordCard is the card of a mint or burn; OwnRecordCard does not name its collection.
export const RecordCard = ({ item, own }) => (
  <li class="card">
    <a href={pageLink(`${item.tokenAddress}/${item.tokenId}`)}>
      <Picture address={item.tokenAddress} tokenId={item.tokenId} name={nameOf(item.metadata, item.tokenId)} metadata={item.metadata} />
      <Name metadata={item.metadata} tokenId={item.tokenId} />
    </a>
    <p class="soft">
      {!own && <CollectionLink address={item.tokenAddress} />}
      {item.amount !== '1' && <Amount value={item.amount} times />}
    </p>
    <p class="soft">
      <Moment at={item.blockTime} />
    </p>
  </li>
);
export const OwnRecordCard = ({ item }) => <RecordCard item={item} own />;

// TokenCard is the card of a token, which says whether it is burned.
export const TokenCard = ({ item }) => (
  <li class={item.state === 'BURNED' ? 'card burned' : 'card'}>
    <a href={pageLink(`${item.address}/${item.tokenId}`)}>
      <Picture address={item.address} tokenId={item.tokenId} name={nameOf(item.metadata, item.tokenId)} metadata={item.metadata} />
      <Name metadata={item.metadata} tokenId={item.tokenId} />
      {item.state === 'BURNED' && <span class="badge">burned</span>}
    </a>
  </li>
);

// CollectionCard is the card of a collection, with the image of its newest mint.
export function CollectionCard({ item }) {
  const [newest] = item.mints.data;
  return (
    <li class="card">
      <a href={pageLink(item.address)}>
        <Picture address={item.address} tokenId={newest?.tokenId} name="newest mint of the collection" metadata={newest?.metadata} />
        <bdi class={item.name ? 'card-name' : 'card-name mono'}>{clean(item.name ?? '', 120) || short(item.address)}</bdi>
      </a>
      <p class="soft">
        <span>{countOf(item.mints.totalItems, 'mint')}</span>
        <span>{standardOf(item.contractType)}</span>
      </p>
      {item.firstMint && (
        <p class="soft">
          <Moment at={item.firstMint.blockTime} />
        </p>
      )}
    </li>
  );
}

// documentOf returns the document whose image the card of a mint, token or collection shows.
const documentOf = (item) => item.metadata ?? item.mints?.data[0]?.metadata;

// nameOf returns the name of a token, or its id.
export function nameOf(metadata, tokenId) {
  return clean(metadata?.name ?? '', 120) || `#${short(tokenId)}`;
}

// standardOf returns the name of a contract's standard.
export function standardOf(contractType) {
  return contractType === 'ERC1155' ? 'ERC-1155' : 'ERC-721';
}
