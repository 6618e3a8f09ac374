// Shows the mints of a collection, page by page. Clicking a mint refetches it.
import { createElement as h } from 'react';
import { useLazyLoadQuery, usePaginationFragment, useRefetchableFragment } from 'react-relay';

import { graphql } from './tag.js';

export function Collection({ address, count }) {
  const query = graphql`
    query collectionQuery($address: Address!, $count: Int!) {
      ...collectionMints
    }
  `;
  return h(Mints, { query: useLazyLoadQuery(query, { address, count }) });
}

function Mints({ query }) {
  const { data, hasNext, isLoadingNext, loadNext } = usePaginationFragment(
    graphql`
      fragment collectionMints on Query
      @argumentDefinitions(cursor: { type: "Cursor" })
      @refetchable(queryName: "collectionMintsPageQuery") {
        mints(address: $address, first: $count, after: $cursor) @connection(key: "collection_mints") {
          totalItems
          edges {
            node {
              id
              ...collectionMint
            }
          }
        }
      }
    `,
    query,
  );
  const more = { 'data-total': data.mints.totalItems, disabled: !hasNext || isLoadingNext, onClick: loadNext };
  return [
    h('ul', { key: 'list' }, data.mints.edges.map(({ node }) => h(Mint, { key: node.id, mint: node }))),
    h('button', { key: 'more', 'data-has-next': hasNext, ...more }, 'More'),
  ];
}

function Mint({ mint }) {
  const [data, refetch] = useRefetchableFragment(
    graphql`
      fragment collectionMint on Mint @refetchable(queryName: "collectionMintAgainQuery") {
        id
        tokenId
        metadata {
          name
          state
        }
      }
    `,
    mint,
  );
  return h('li', { id: data.id, onClick: refetch }, data.metadata?.name ?? `#${data.tokenId}`);
}
