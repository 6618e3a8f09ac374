// Prints the last burn of a collection, with gql.tada.
import { initGraphQLTada } from 'gql.tada';
import type { ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada';
import { print } from 'graphql';
import type { introspection } from './generated/tada.d.ts';
import { post } from './server.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    Address: string;
    Bytes: string;
    Bytes32: string;
    BigInt: string;
    Long: number;
    BlockNumberOrHash: string | number;
    Cursor: string;
  };
}>();

const lastBurn = graphql(`
  query LastBurn($address: Address!) {
    burns(address: $address, order: DESC, first: 1) {
      totalItems
      data {
        tokenId
        blockNumber
      }
    }
  }
`);

const ask = <Document extends TadaDocumentNode<any, any>>(document: Document, variables: VariablesOf<Document>) =>
  post(print(document), variables) as Promise<ResultOf<Document>>;

const { burns } = await ask(lastBurn, { address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' });
const last = burns?.data.at(0);
const block: number | undefined = last?.blockNumber;
console.log(`gql.tada: ${burns?.totalItems} burns, the last in block ${block}`);

// @ts-expect-error: an address must be a string
void (() => ask(lastBurn, { address: 36 }));
