// Shows a collection's mints and burns with urql.
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { Client, Provider, fetchExchange, gql, useQuery } from 'urql';

import schema from './generated/schema.json';

// Objects without an id are stored within the object that contains them.
const keys = Object.fromEntries(
  schema.__schema.types
    .filter(({ kind, fields }) => kind === 'OBJECT' && !fields.some(({ name }) => name === 'id'))
    .map(({ name }) => [name, () => null]),
);

const client = new Client({
  url: import.meta.env.VITE_MINTBURN_URL ?? 'http://127.0.0.1:8080/graphql',
  preferGetMethod: false,
  exchanges: [
    // Joins every fetched page with those before it.
    cacheExchange({ schema, keys, resolvers: { Query: { mints: relayPagination(), burns: relayPagination() } } }),
    fetchExchange,
  ],
});

const ITEM = 'id tokenId amount blockNumber metadata { id name image imageData }';

const MINTS = gql`
  query Mints($address: Address!, $after: Cursor) {
    list: mints(address: $address, order: DESC, first: 40, after: $after) {
      totalItems
      edges { node { ${ITEM} } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

const BURNS = gql`
  query Burns($address: Address!, $after: Cursor) {
    list: burns(address: $address, order: DESC, first: 40, after: $after) {
      totalItems
      edges { node { ${ITEM} } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

const NEWEST = gql`
  query Newest { mints(order: DESC, first: 1) { edges { node { id tokenAddress } } } }
`;

// Metadata is untrusted. An SVG in an img element runs no script.
function pictureOf(metadata) {
  const text = metadata?.image ?? metadata?.imageData ?? '';
  if (text.startsWith('<svg')) return `data:image/svg+xml,${encodeURIComponent(text)}`;
  if (text.startsWith('ipfs://')) return `https://ipfs.io/ipfs/${text.slice('ipfs://'.length)}`;
  return /^(https?:|data:image\/)/.test(text) ? text : undefined;
}

function Item({ item }) {
  const [failed, setFailed] = useState(false);
  const picture = pictureOf(item.metadata);
  const title = item.metadata?.name ?? `#${item.tokenId}`;
  return (
    <li id={item.id}>
      {picture && !failed ? (
        <img className="picture" src={picture} alt="" loading="lazy" referrerPolicy="no-referrer" onError={() => setFailed(true)} />
      ) : (
        <span className="picture">no picture</span>
      )}
      <strong title={title}>{title}</strong>
      <small>
        block {item.blockNumber}
        {item.amount !== '1' && `, × ${item.amount}`}
      </small>
    </li>
  );
}

// End calls onView once, when it comes close to the viewport.
function End({ onView }) {
  const ref = useRef();
  useEffect(() => {
    const observer = new IntersectionObserver(
      // A busy page may report several changes at once.
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onView();
      },
      { rootMargin: '500px' },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return <p ref={ref} className="end">Loading …</p>;
}

function Transfers({ title, query, address }) {
  const [after, setAfter] = useState();
  const [{ data, error }] = useQuery({ query, variables: { address, after } });
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p>Loading …</p>;
  const { totalItems, edges, pageInfo } = data.list;
  return (
    <section aria-label={title}>
      <h2>
        {title} <data value={totalItems}>{totalItems.toLocaleString('en')}</data>
      </h2>
      <ol>
        {edges.map(({ node }) => (
          <Item key={node.id} item={node} />
        ))}
      </ol>
      {pageInfo.hasNextPage && <End key={pageInfo.endCursor} onView={() => setAfter(pageInfo.endCursor)} />}
    </section>
  );
}

// App shows the collection in ?address=, by default the collection of the last mint.
function App() {
  const given = new URLSearchParams(location.search).get('address');
  const [{ data, error }] = useQuery({ query: NEWEST, pause: Boolean(given) });
  const address = given ?? data?.mints?.edges[0]?.node.tokenAddress;
  if (error) return <p role="alert">{error.message}</p>;
  if (!address) return <p>{data ? 'There are no mints yet.' : 'Loading …'}</p>;
  return (
    <>
      <form>
        <input name="address" aria-label="Address of the collection" defaultValue={address} />
      </form>
      <main>
        <Transfers title="Mints" query={MINTS} address={address} />
        <Transfers title="Burns" query={BURNS} address={address} />
      </main>
    </>
  );
}

createRoot(document.getElementById('root')).render(
  <Provider value={client}>
    <App />
  </Provider>,
);
