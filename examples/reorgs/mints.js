// Prints the new mints of a chain, and drops those that a reorg orphans. It needs queries alone, and no packages:
//
//   node examples/reorgs/mints.js
const url = process.env.MINTBURN_URL ?? 'http://127.0.0.1:8080/graphql';

const MINTS = /* GraphQL */ `
  query Mints($fromBlock: Long, $after: Cursor) {
    mints(fromBlock: $fromBlock, after: $after, first: 100) {
      edges { node { id tokenAddress tokenId blockNumber } }
      pageInfo { endCursor }
    }
  }
`;

async function ask(query, variables) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return response.json();
}

const mints = new Map();

function show(sign, { id, tokenAddress, tokenId, blockNumber }) {
  console.log(`${sign} ${id}: block ${blockNumber}, token ${tokenId} of ${tokenAddress}`);
}

const { data: { chain } } = await ask('{ chain { head { number } } }');
const fromBlock = chain.head.number;
let after;
for (;;) {
  const { data, errors } = await ask(MINTS, { fromBlock, after });
  const reorg = errors?.find(({ extensions }) => extensions.code === 'CURSOR_REORGED')?.extensions;
  if (reorg) {
    for (const mint of mints.values()) {
      if (mint.blockNumber < reorg.retractedFromBlock) continue;
      mints.delete(mint.id);
      show('-', mint);
    }
    after = reorg.rewindCursor;
    continue;
  }
  if (errors) throw new Error(errors[0].message);
  const { edges, pageInfo } = data.mints;
  for (const { node } of edges) {
    mints.set(node.id, node);
    show('+', node);
  }
  after = pageInfo.endCursor ?? after;
  if (edges.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
}
