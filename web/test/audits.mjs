// Runs all audits of graphql-http against the server at MINTBURN_URL: unchanged, and again
// with GET for requests that GET can express. Every audit must pass, whether it is a MUST,
// a SHOULD or a MAY.
import { serverAudits } from 'graphql-http';

const url = new URL('graphql', process.env.MINTBURN_URL).href;

// byGet sends the parameters of a POST in the URL of a GET. A request that GET cannot
// express is sent unchanged.
async function byGet(input, init) {
  let body;
  try {
    body = JSON.parse(init.body);
  } catch {
    return fetch(input, init);
  }
  const texts = [body.query, body.operationName].filter((value) => value !== undefined && value !== null);
  if (init.method !== 'POST' || !init.headers || !texts.every((value) => typeof value === 'string')) {
    return fetch(input, init);
  }
  const address = new URL(input);
  for (const [name, value] of Object.entries(body)) {
    if (value !== null) {
      address.searchParams.set(name, typeof value === 'string' && name !== 'variables' && name !== 'extensions' ? value : JSON.stringify(value));
    }
  }
  const { 'content-type': _, ...headers } = init.headers;
  sent++;
  return fetch(address, { headers });
}

let sent = 0;
let failed = 0;
let passed = 0;
for (const [how, fetchFn] of Object.entries({ post: fetch, get: byGet })) {
  for (const audit of serverAudits({ url, fetchFn })) {
    const result = await audit.fn();
    if (result.status === 'ok') {
      passed++;
    } else {
      failed++;
      console.error(`${how}: ${audit.id} ${audit.name}: ${result.status}: ${result.reason}`);
    }
  }
}
console.log(`${passed} audits passed, ${failed} failed, ${sent} requests by GET`);
process.exit(failed > 0 || passed < 120 || sent < 30 ? 1 : 0);
