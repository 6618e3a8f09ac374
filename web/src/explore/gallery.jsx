import { useLayoutEffect, useRef } from 'preact/hooks';

import { Amount } from './amount.jsx';
import { pageLink } from './links.js';
import { AccountLink, CollectionLink } from './links.jsx';
import { Moment } from './moment.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { More } from './section.jsx';
import { ago, clean, count, countOf, short } from './texts.js';

// Gallery shows the loaded items of a connection as cards, with a button that adds the next page.
// Card is the component of a card, with the properties item and before, the item before; what names one
// item, more loads the page after a cursor, and note, if given, is in the place of the numbers.
export function Gallery({ page: { data, cursor, totalItems }, what, Card, more, note }) {
  const list = useRef();
  const focused = useRef();
  useLayoutEffect(() => {
    if (focused.current) list.current?.children[focused.current]?.querySelector('a').focus({ preventScroll: true });
    focused.current = undefined;
  }, [data.length]);
  if (data.length === 0 && !cursor) return <p class="soft">No {what} is indexed.</p>;
  const load = async () => {
    focused.current = data.length;
    await more(cursor);
  };
  return (
    <>
      <ImageNotice documents={data.map(documentOf)} />
      <ul class="gallery" ref={list}>
        {data.map((item, i) => (
          <Card item={item} before={data[i - 1]} key={item.id} />
        ))}
      </ul>
      <More load={cursor && load}>{note ?? `${count(data.length)} of ${countOf(totalItems, what)}`}</More>
    </>
  );
}

// Thing is the picture of a token above its name, in at most two lines.
const Thing = ({ address, tokenId, metadata, burned }) => (
  <a href={pageLink(`${address}/${tokenId}`)}>
    <Picture address={address} tokenId={tokenId} name="" metadata={metadata} />
    <bdi class="card-name">{nameOf(metadata, tokenId)}</bdi>
    {burned && <span class="badge">burned</span>}
  </a>
);

// Id is the id of a token, unless its name says it.
const Id = ({ metadata, tokenId }) => metadata?.name && !metadata.name.includes(tokenId) && <span class="mono">#{short(tokenId)}</span>;

// RecordCard is the card of a mint or burn. It says the time if that is another one than on the card before.
// The cards of a collection's mints and burns say to whom or by whom in the place of the collection.
export const RecordCard = ({ item, before, whose = <CollectionLink address={item.tokenAddress} /> }) => (
  <li class={item.token?.state === 'BURNED' ? 'card burned' : 'card'}>
    <Thing address={item.tokenAddress} tokenId={item.tokenId} metadata={item.metadata} burned={item.token?.state === 'BURNED'} />
    <p class="soft">
      <span>{whose}</span>
      <Id {...item} />
      {item.amount !== '1' && <Amount value={item.amount} times />}
      {(!before || ago(before.blockTime) !== ago(item.blockTime)) && <Moment at={item.blockTime} />}
    </p>
  </li>
);
export const MintCard = ({ item, before }) => <RecordCard item={item} before={before} whose={<>to <AccountLink address={item.to} /></>} />;
export const BurnCard = ({ item, before }) => <RecordCard item={item} before={before} whose={<>by <AccountLink address={item.from} /></>} />;

// TokenCard is the card of a token, which says whether it is burned.
export const TokenCard = ({ item }) => (
  <li class={item.state === 'BURNED' ? 'card burned' : 'card'}>
    <Thing address={item.address} tokenId={item.tokenId} metadata={item.metadata} burned={item.state === 'BURNED'} />
    <p class="soft">
      <Id {...item} />
    </p>
  </li>
);

// CollectionCard is the card of a collection, with the image of its newest mint.
export function CollectionCard({ item, before }) {
  const [newest] = item.mints.data;
  const first = item.firstMint?.blockTime;
  return (
    <li class="card">
      <a href={pageLink(item.address)}>
        <Picture address={item.address} tokenId={newest?.tokenId} name="newest mint of the collection" metadata={newest?.metadata} />
        <bdi class={item.name ? 'card-name' : 'card-name mono'}>{clean(item.name ?? '', 120) || short(item.address)}</bdi>
      </a>
      <p class="soft">
        <span>{countOf(item.mints.totalItems, 'mint')}</span>
        <span>{standardOf(item.contractType)}</span>
        {first && (!before?.firstMint || ago(before.firstMint.blockTime) !== ago(first)) && <Moment at={first} />}
      </p>
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
