// Valid and, where an error is expected, invalid uses of the generated types.
import { graphql } from '../generated/codegen/gql';
import type { MintsOfQuery, MintsOfQueryVariables } from '../generated/codegen/graphql';

export const mintsOf = graphql(/* GraphQL */ `
  query MintsOf($address: Address!, $fromBlock: Long, $after: Cursor) {
    mints(address: $address, fromBlock: $fromBlock, after: $after) {
      totalItems
      edges {
        node {
          tokenId
          blockNumber
          contractType
          operator
          metadata {
            name
          }
        }
      }
    }
  }
`);

export const variables: MintsOfQueryVariables = { address: '0x5fbdb2315678afecb367f032d93f642f64180aa3', fromBlock: 1 };

export function summary({ mints }: MintsOfQuery): string[] {
  // @ts-expect-error: a field that failed is null.
  const unchecked: number = mints.totalItems;
  if (!mints) {
    return [];
  }
  const total: number = mints.totalItems;
  return mints.edges.map(({ node }) => {
    const name: string | null | undefined = node.metadata?.name;
    const height: number = node.blockNumber;
    // @ts-expect-error: a token id does not fit into a number.
    const id: number = node.tokenId;
    // @ts-expect-error: there are two standards.
    const standard: boolean = node.contractType === 'ERC20';
    return `${name ?? id} ${height} of ${total} ${standard} ${unchecked}`;
  });
}

// @ts-expect-error: an address must be given.
export const nothing: MintsOfQueryVariables = {};
