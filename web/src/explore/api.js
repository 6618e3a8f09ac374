// Problem is an error in a response, with its code.
export class Problem extends Error {
  constructor(message, { code, ...details } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

// asker returns the function that sends a query to an endpoint and returns its data. It
// throws the first error even if the response has data. Errors with the code expected are
// ignored; their fields are null.
export function asker(endpoint) {
  return async ({ query, variables }, expected) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json;q=0.9' },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new Problem(`HTTP ${response.status}: ${text.slice(0, 200)}`);
    }
    const error = answer.errors?.find(({ extensions }) => !expected || extensions?.code !== expected);
    if (error) throw new Problem(error.message, error.extensions);
    return answer.data;
  };
}

// withFewer fetches a page of $first items, or of fewer if they are too large for one
// response.
export async function withFewer(ask, question) {
  try {
    return await ask(question);
  } catch (problem) {
    if (!(problem.details?.fit > 0)) throw problem;
    return ask({ ...question, variables: { ...question.variables, first: problem.details.fit } });
  }
}
