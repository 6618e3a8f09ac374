// app/mints/[address]/page.tsx
const url = process.env.MINTBURN_URL ?? 'http://127.0.0.1:8080/graphql';

const query = /* GraphQL */ `
  query Mints($address: Address!, $after: Cursor) {
    mints(address: $address, order: DESC, first: 20, after: $after) {
      totalItems
      cursor
      data { id tokenId to metadata { name } }
    }
  }
`;

type Mint = { id: string; tokenId: string; to: string; metadata: { name: string | null } | null };
type Answer = {
  data?: { mints: { totalItems: number; cursor: string | null; data: Mint[] } | null };
  errors?: { message: string; extensions: { code: string } }[];
};

type Props = { params: Promise<{ address: string }>; searchParams: Promise<{ after?: string }> };

export default async function Page({ params, searchParams }: Props) {
  const variables = { address: (await params).address, after: (await searchParams).after };
  const key = process.env.MINTBURN_KEY;
  const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }), cache: 'no-store' });
  const { data, errors }: Answer = await response.json();
  // After a reorg, begin again: the first page is short.
  if (errors?.[0].extensions.code === 'CURSOR_REORGED') return <a href="?">The chain has changed: start again</a>;
  if (!data?.mints) throw new Error(errors?.[0].message ?? response.statusText);
  const { totalItems, cursor, data: mints } = data.mints;
  return (
    <main>
      <h1>{totalItems} mints</h1>
      <ul>
        {mints.map(({ id, tokenId, to, metadata }) => (
          <li key={id}>
            {metadata?.name ?? `#${tokenId}`} to {to}
          </li>
        ))}
      </ul>
      {cursor && <a href={`?after=${cursor}`}>Older</a>}
    </main>
  );
}
