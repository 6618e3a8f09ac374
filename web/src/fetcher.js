import { parse } from 'graphql';

// fetcherFor returns the function that GraphiQL sends operations with: one POST each. It
// returns the response unchanged. If the response is not JSON (a proxy's error page), it
// throws an error with the status.
export function fetcherFor(endpoint) {
  return async ({ query, variables, operationName }, { headers } = {}) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/graphql-response+json, application/json;q=0.9',
        ...headers,
      },
      body: JSON.stringify({ query, variables, operationName: nameIn(query, operationName) }),
    });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
    }
  };
}

// nameIn returns operationName if the query contains that operation. For a tenth of a
// second after a change of tabs, GraphiQL still sends the name from the previous tab,
// which the server would reject.
function nameIn(query, operationName) {
  let definitions;
  try {
    ({ definitions } = parse(query));
  } catch {
    return operationName; // The server's error message is better.
  }
  return definitions.some(({ name }) => name?.value === operationName) ? operationName : undefined;
}
