// The OpenAPI document of the server at MINTBURN_URL is valid, and the answers
// of all five routes, good and bad, are as it says. The routes' values come on
// standard input, as JSON: a list of path, query and expected status.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';

const base = new URL(process.env.MINTBURN_URL);
const document = await (await fetch(new URL('openapi.json', base))).json();
const valid = await new Validator().validate(structuredClone(document));
if (!valid.valid) {
  console.error('openapi.json is not valid:', JSON.stringify(valid.errors, null, 1));
  process.exit(1);
}
if (document.openapi !== '3.1.0') {
  throw new Error(`openapi is ${document.openapi}`);
}

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
ajv.addSchema(document, 'openapi');
const pointer = (...parts) => `openapi#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

const called = new Set();
let failed = 0;
for (const { route, path, status } of JSON.parse(readFileSync(0))) {
  const operation = document.paths[route].get;
  const response = await fetch(new URL(path, base));
  const body = await response.json();
  const described = operation.responses[response.status] ? String(response.status) : 'default';
  const check = ajv.getSchema(pointer('paths', route, 'get', 'responses', described, 'content', 'application/json', 'schema'));
  if (response.status !== status || !response.headers.get('content-type').startsWith('application/json') || !check(body)) {
    failed++;
    console.error(`${path}: status ${response.status}, want ${status}: ${JSON.stringify(check.errors)}: ${JSON.stringify(body).slice(0, 300)}`);
  }
  if (response.ok) {
    called.add(route);
  }
}
const missing = Object.keys(document.paths).filter((route) => !called.has(route));
if (missing.length > 0) {
  console.error('not called:', missing);
}
process.exit(failed > 0 || missing.length > 0 ? 1 : 0);
