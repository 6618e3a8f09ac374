// Checks that the OpenAPI document of the server at MINTBURN_URL is valid, and that the
// responses of its routes, including errors, match it: every status is documented for the
// route. The requests come on standard input as JSON.
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
const { all, requests } = JSON.parse(readFileSync(0));
for (const { Route: route, Path: path, Status: status, Header: header } of requests) {
  const operation = document.paths[route].get;
  const response = await fetch(new URL(path, base), { headers: header ?? {} });
  const text = await response.text();
  const described = operation.responses[response.status]?.$ref.split('/').at(-1);
  const content = document.components.responses[described]?.content;
  const type = Object.keys(content ?? {})[0];
  const check = content && ajv.getSchema(pointer('components', 'responses', described, 'content', type, 'schema'));
  const media = response.headers.get('content-type') ?? '';
  const right = content ? media.startsWith(type) && check(type === 'text/plain' ? text : JSON.parse(text)) : described && text === '';
  if (response.status !== status || !right) {
    failed++;
    console.error(`${path}: status ${response.status}, want ${status}: ${JSON.stringify(check?.errors)}: ${text.slice(0, 300)}`);
  }
  called.add(route);
}
const missing = Object.keys(document.paths).filter((route) => all && !called.has(route));
if (missing.length > 0) {
  console.error('not called:', missing);
}
process.exit(failed > 0 || missing.length > 0 ? 1 : 0);
