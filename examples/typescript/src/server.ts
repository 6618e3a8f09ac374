// Sends operations to the server at MINTBURN_URL.
declare const process: { env: Record<string, string | undefined> };

const url = process.env.MINTBURN_URL ?? 'http://127.0.0.1:8080/graphql';

// post sends an operation and returns its data.
export async function post(query: string, variables: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}
