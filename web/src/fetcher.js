import { parse } from 'graphql';

// fetcherFor returns the function by which GraphiQL asks: one POST for each
// operation, the answer as it came. An answer that is not JSON (a proxy's error
// page) becomes an error with its status.
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

// nameIn returns operationName if the query has an operation of that name. For
// a tenth of a second after a change of tabs GraphiQL still names the operation
// of the tab before, and the server would rightly refuse it.
function nameIn(query, operationName) {
  let definitions;
  try {
    ({ definitions } = parse(query));
  } catch {
    return operationName; // The server's message is the better one.
  }
  return definitions.some(({ name }) => name?.value === operationName) ? operationName : undefined;
}
