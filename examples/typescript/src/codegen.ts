// Prints the last mints of a block, with graphql-codegen's client preset.
import { graphql } from './generated/codegen/gql.ts';
import type { TypedDocumentString } from './generated/codegen/graphql.ts';
import { post } from './server.ts';

const lastMints = graphql(`
  query LastMints($block: BlockNumberOrHash!) {
    mints(block: $block, order: DESC, first: 2) {
      totalItems
      data {
        tokenId
        blockTime
      }
    }
  }
`);

const ask = <Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables) =>
  post(document.toString(), variables) as Promise<Data>;

const { mints } = await ask(lastMints, { block: 82 });
const items: number | undefined = mints?.totalItems;
const ids: string[] = mints?.data.map(({ tokenId }) => tokenId) ?? [];
console.log(`codegen: ${items} mints, the last of tokens ${ids.join(' and ')}`);

// @ts-expect-error: a block cannot be a boolean
void (() => ask(lastMints, { block: true }));
