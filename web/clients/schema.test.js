// Checks the schema with @graphql-eslint's rules for schemas and for Relay.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ESLint } from 'eslint';

const root = path.join(import.meta.dirname, '..', '..');
const eslint = new ESLint({ cwd: root, overrideConfigFile: path.join(import.meta.dirname, 'eslint.config.js') });

const broken = (results) => results.flatMap(({ messages }) => messages.map(({ line, message, ruleId }) => `${line}: ${ruleId}: ${message}`));

test('the schema violates no rule', async () => {
  assert.deepEqual(broken(await eslint.lintFiles('schema.graphqls')), []);
});

test('a field without a description violates a rule', async () => {
  const schema = readFileSync(path.join(root, 'schema.graphqls'), 'utf8');
  const changed = schema.replace('  "Height."\n', '');
  assert.notEqual(changed, schema);
  const [message, ...others] = broken(await eslint.lintText(changed, { filePath: path.join(root, 'schema.graphqls') }));
  assert.match(message, /require-description/);
  assert.deepEqual(others, []);
});
