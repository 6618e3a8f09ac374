// Checks the schema with @graphql-eslint's rules for schemas and for Relay.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ESLint } from 'eslint';

const root = path.join(import.meta.dirname, '..', '..');
const schema = readFileSync(path.join(root, 'schema.graphqls'), 'utf8');
const eslint = new ESLint({ cwd: root, overrideConfigFile: path.join(import.meta.dirname, 'eslint.config.js') });

// Traits and versions of documents have no identity, and their short lists go forward only.
const accepted = [
  /^ {2}(traits|versions)\( @graphql-eslint\/relay-arguments: Field `\1` must contain an argument `(last|before)`/,
  /^type (Trait|MetadataVersion)Edge { @graphql-eslint\/relay-edge-types: Edge type's field `node` must implement `Node`/,
];

const broken = (results, text) => {
  const lines = text.split('\n');
  return results.flatMap(({ messages }) =>
    messages
      .filter(({ line, message, ruleId }) => !accepted.some((known) => known.test(`${lines[line - 1]} ${ruleId}: ${message}`)))
      .map(({ line, message, ruleId }) => `${line}: ${ruleId}: ${message}`),
  );
};

test('the schema violates no rule', async () => {
  assert.deepEqual(broken(await eslint.lintFiles('schema.graphqls'), schema), []);
});

test('a field without a description violates a rule', async () => {
  const changed = schema.replace('  "Height."\n', '');
  assert.notEqual(changed, schema);
  const [message, ...others] = broken(await eslint.lintText(changed, { filePath: path.join(root, 'schema.graphqls') }), changed);
  assert.match(message, /require-description/);
  assert.deepEqual(others, []);
});
