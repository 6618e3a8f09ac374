// Checks that the OpenAPI document violates no rule of Redocly and bounds every value.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const file = path.join(import.meta.dirname, '..', '..', 'internal', 'httpapi', 'openapi.json');
const run = promisify(execFile);

// lint returns the rules that a document violates.
async function lint(document) {
  const redocly = path.join(import.meta.dirname, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const ended = run(process.execPath, [redocly, 'lint', '--format=json', '--config=redocly.yaml', document], { cwd: import.meta.dirname, env: environment });
  const { stdout } = await ended.catch((failed) => failed);
  return JSON.parse(stdout).problems.map(({ ruleId }) => ruleId);
}

test('the OpenAPI document violates no rule', async () => {
  assert.deepEqual(await lint(file), []);
});

test('a document without a licence violates a rule', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
  const document = JSON.parse(readFileSync(file, 'utf8'));
  delete document.info.license;
  try {
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(document));
    assert.deepEqual(await lint(path.join(folder, 'openapi.json')), ['info-license']);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  assert.deepEqual(unbounded(JSON.parse(readFileSync(file, 'utf8'))), []);
  assert.deepEqual(unbounded({ a: [{ type: ['string', 'null'] }, { type: 'integer', minimum: 0 }] }), ['/a/0: maxLength', '/a/1: maximum']);
});
