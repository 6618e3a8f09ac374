// Shows the collections, or the tokens of one collection, page by page.
import { createElement as h } from 'react';
import { useLazyLoadQuery, usePaginationFragment } from 'react-relay';

import { graphql } from './tag.js';

export function Collections({ count }) {
  const query = graphql`
    query collectionsQuery($count: Int!) {
      ...collectionsList
    }
  `;
  return h(List, { query: useLazyLoadQuery(query, { count }) });
}

function List({ query }) {
  const { data, ...pages } = usePaginationFragment(
    graphql`
      fragment collectionsList on Query
      @argumentDefinitions(cursor: { type: "Cursor" })
      @refetchable(queryName: "collectionsListPageQuery") {
        collections(first: $count, after: $cursor) @connection(key: "collections_collections") {
          totalItems
          edges {
            node {
              id
              mintedItems
            }
          }
        }
      }
    `,
    query,
  );
  return h(Items, { connection: data.collections, ...pages });
}

export function Tokens({ address, count }) {
  const query = graphql`
    query collectionsTokensQuery($address: Address!, $count: Int!) {
      collection(address: $address) {
        ...collectionsTokens
      }
    }
  `;
  return h(TokenList, { collection: useLazyLoadQuery(query, { address, count }).collection });
}

function TokenList({ collection }) {
  const { data, ...pages } = usePaginationFragment(
    graphql`
      fragment collectionsTokens on Collection
      @argumentDefinitions(cursor: { type: "Cursor" })
      @refetchable(queryName: "collectionsTokensPageQuery") {
        tokens(first: $count, after: $cursor) @connection(key: "collections_tokens") {
          totalItems
          edges {
            node {
              id
              state
            }
          }
        }
      }
    `,
    collection,
  );
  return h(Items, { connection: data.tokens, ...pages });
}

function Items({ connection, hasNext, isLoadingNext, loadNext }) {
  const more = { 'data-total': connection.totalItems, disabled: !hasNext || isLoadingNext, onClick: loadNext };
  return [
    h('ul', { key: 'list' }, connection.edges.map(({ node }) => h('li', { key: node.id, id: node.id }))),
    h('button', { key: 'more', 'data-has-next': hasNext, ...more }, 'More'),
  ];
}
