import { storedKey, storeKey, withKey } from '../key.jsx';
import { data, root } from './page.js';
import { redraw } from './router.js';

let key = storedKey();
let refused = false;

// UNREACHABLE is the code of the problem that the server does not answer.
export const UNREACHABLE = 'UNREACHABLE';

let reached = true;

// isReached reports whether the server answered the last question.
export const isReached = () => reached;

function reach(now) {
  if (now === reached) return;
  reached = now;
  redraw();
}

// apiKey returns the viewer's API key, or null.
export const apiKey = () => key;

// keyNeeded returns what the form that asks for an API key shows, or null if no key is needed.
export const keyNeeded = () => (refused || (data.key && !key) ? { refused: key } : null);

// enterKey uses a key until the browser tab is closed.
export function enterKey(text) {
  [key, refused] = [text, false];
  storeKey(text);
  redraw();
}

// Problem is an error in a response, with its code.
export class Problem extends Error {
  constructor(message, { code, ...details } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

// ask sends a question and returns the data of its answer. It throws the first error even if the
// answer has data. Errors with the code expected, or one of the list, are ignored: their fields are null, and the
// data also has unknown: true. If a page of $first items is too large for one answer, it has fewer.
export async function ask(question, expected) {
  try {
    return await send(question, expected);
  } catch (problem) {
    if (!(problem.details?.fit > 0)) throw problem;
    return send({ ...question, variables: { ...question.variables, first: problem.details.fit } }, expected);
  }
}

async function send({ query, variables }, expected) {
  const response = await sent({
    method: 'POST',
    headers: withKey(key, {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json, application/json;q=0.9',
    }),
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  reach(true);
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Problem(`HTTP ${response.status}: ${text.slice(0, 200)}`);
  }
  const error = answer.errors?.find(({ extensions }) => !expected?.includes(extensions?.code));
  if (error?.extensions?.code === 'UNAUTHENTICATED') {
    refused = true;
    redraw();
  }
  if (error) throw new Problem(error.message, error.extensions);
  return answer.errors ? { ...answer.data, unknown: true } : answer.data;
}

// sent sends a request to the API.
async function sent(request) {
  try {
    return await fetch(root + data.endpoint, request);
  } catch {
    reach(false);
    throw new Problem('The server does not answer.', { code: UNREACHABLE });
  }
}
