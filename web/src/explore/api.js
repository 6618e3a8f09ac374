// Problem is an error of an answer, with its code.
export class Problem extends Error {
  constructor(message, { code, ...details } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

// asker returns the function that sends a question to an endpoint and returns its data. A
// part of an answer is none: it throws the first error.
export function asker(endpoint) {
  return async ({ query, variables }) => {
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
    if (answer.errors) throw new Problem(answer.errors[0].message, answer.errors[0].extensions);
    return answer.data;
  };
}

// withFewer asks for a page of $first items, and for fewer if they are too large for one
// answer.
export async function withFewer(ask, question) {
  try {
    return await ask(question);
  } catch (problem) {
    if (!(problem.details?.fit > 0)) throw problem;
    return ask({ ...question, variables: { ...question.variables, first: problem.details.fit } });
  }
}
