// Checks compose.yaml with Compose's schema and dclint's rules, except style warnings.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const file = path.join(import.meta.dirname, '..', '..', 'compose.yaml');
const dclint = (of) => execFileSync(path.join(import.meta.dirname, 'node_modules', '.bin', 'dclint'), ['--quiet', of], { encoding: 'utf8', stdio: 'pipe' });

test('compose.yaml has no errors', () => {
  dclint(file);
});

test('an unknown key is an error', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const text = readFileSync(file, 'utf8');
  const changed = path.join(folder, 'compose.yaml');
  writeFileSync(changed, text.replace('read_only: true', 'readonly: true'));
  assert.notEqual(readFileSync(changed, 'utf8'), text);
  assert.throws(() => dclint(changed), ({ stdout }) => /additional properties/.test(stdout));
});
