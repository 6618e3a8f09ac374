// Compiles the documents in this folder.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const clients = path.join(import.meta.dirname, '..');

export function compile() {
  const generated = path.join(clients, 'generated', 'relay');
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  // The compiler reads a schema only from a file whose name ends in .graphql, and writes
  // CommonJS.
  copyFileSync(path.join(clients, '..', '..', 'schema.graphqls'), path.join(generated, '..', 'schema.graphql'));
  writeFileSync(path.join(generated, 'package.json'), '{"type": "commonjs"}\n');
  execFileSync(path.join(clients, 'node_modules', '.bin', 'relay-compiler'), ['relay.config.json'], { cwd: clients, encoding: 'utf8' });
}
