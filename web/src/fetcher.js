import { getOperationAST, parse } from 'graphql';

import { withKey } from './key.jsx';

// fetcherFor returns the function that GraphiQL sends operations with: one POST each. It
// returns the response unchanged, as an observable, or the results of a subscription: GraphiQL ends
// both when the visitor opens another tab, which it would else show them in. If the response is not
// JSON (a proxy's error page), the error has the status. Requests have the visitor's key, if
// there is one and the headers have no other; onRefused is called if the server does not accept it.
// onCost gets the cost of each request but introspection, or null until it is known. If byGet is
// set, the first operation is sent by GET, which caches may answer.
export function fetcherFor(endpoint, { key, byGet, onCost, onRefused }) {
  return async ({ query, variables, operationName }, options = {}) => {
    const headers = withKey(key, options.headers);
    const introspects = operationName === 'IntrospectionQuery';
    const report = introspects ? () => {} : onCost;
    const send = async (url, init) => {
      report(null);
      const response = await fetch(url, init);
      if (response.status === 401 && key && headers.Authorization === `Bearer ${key}`) onRefused();
      report(response.headers.get('Mintburn-Cost'));
      return response;
    };
    const { name, operation } = chosen(query, operationName);
    const sent = { query, variables, operationName: name };
    if (operation === 'subscription') {
      const { createClient } = await import('graphql-sse');
      // A retry would miss the changes in between.
      return createClient({ url: endpoint, headers, fetchFn: send, retryAttempts: 0 }).iterate(sent);
    }
    const Accept = 'application/graphql-response+json, application/json;q=0.9';
    let request = [endpoint, { method: 'POST', headers: { 'Content-Type': 'application/json', Accept, ...headers }, body: JSON.stringify(sent) }];
    if (byGet && !introspects) {
      byGet = false;
      request = [`${endpoint}?${new URLSearchParams({ query, variables: JSON.stringify(variables ?? {}) })}`, { headers: { Accept, ...headers } }];
    }
    const [url, init] = request;
    return {
      subscribe({ next, error, complete }) {
        const ending = new AbortController();
        const { signal } = ending;
        const answer = send(url, { ...init, signal }).then(read);
        answer.then((result) => signal.aborted || (next(result), complete()), (cause) => signal.aborted || error(cause));
        return { unsubscribe: () => ending.abort() };
      },
    };
  };
}

async function read(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
  }
}

// chosen returns operationName if the query contains that operation, and the operation's kind. For
// a tenth of a second after a change of tabs, GraphiQL still sends the name from the previous
// tab, which the server would reject.
export function chosen(query, operationName) {
  let document;
  try {
    document = parse(query);
  } catch {
    return { name: operationName }; // The server's error message is better.
  }
  const named = getOperationAST(document, operationName);
  return { name: named ? operationName : undefined, operation: (named ?? getOperationAST(document))?.operation };
}
