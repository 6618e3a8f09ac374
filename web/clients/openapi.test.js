// Checks that the OpenAPI document violates no rule of Redocly and bounds every value.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { url } from './server.js';

const document = await (await fetch(new URL('openapi.json', url))).json();
const run = promisify(execFile);

// lint returns the rules that a document violates.
async function lint(document) {
  const redocly = path.join(import.meta.dirname, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
  const file = path.join(folder, 'openapi.json');
  try {
    writeFileSync(file, JSON.stringify(document));
    const ended = run(process.execPath, [redocly, 'lint', '--format=json', '--config=redocly.yaml', file], { cwd: import.meta.dirname, env: environment });
    const { stdout } = await ended.catch((failed) => failed);
    return JSON.parse(stdout).problems.map(({ ruleId }) => ruleId);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the OpenAPI document violates no rule', async () => {
  assert.deepEqual(await lint(document), []);
});

test('a document without a licence violates a rule', async () => {
  assert.deepEqual(await lint({ ...document, info: { ...document.info, license: undefined } }), ['info-license']);
});

// The keywords that bound a value of each type.
const bounds = { string: ['maxLength'], integer: ['minimum', 'maximum'], array: ['maxItems'] };

// unbounded returns the paths of schemas without a bound.
function unbounded(value, at = '') {
  if (value === null || typeof value !== 'object') return [];
  const types = [value.type].flat().filter((type) => bounds[type] && !value.enum);
  const missing = types.flatMap((type) => bounds[type]).filter((keyword) => !(keyword in value));
  return [...missing.map((keyword) => `${at}: ${keyword}`), ...Object.entries(value).flatMap(([name, part]) => unbounded(part, `${at}/${name}`))];
}

test('every string, integer and array is bounded', () => {
  assert.deepEqual(unbounded(document), []);
  assert.deepEqual(unbounded({ a: [{ type: ['string', 'null'] }, { type: 'integer', minimum: 0 }] }), ['/a/0: maxLength', '/a/1: maximum']);
});
