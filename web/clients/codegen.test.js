// Generates types from the schema with graphql-codegen, and checks a file that uses them
// with tsc.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const here = import.meta.dirname;

function tool(name, ...args) {
  execFileSync(path.join(here, 'node_modules', '.bin', name), args, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });
}

test('the generated types accept valid uses of the API and reject invalid ones', () => {
  rmSync(path.join(here, 'generated', 'codegen'), { recursive: true, force: true });
  tool('graphql-codegen', '--config', 'codegen.js');
  tool('tsc', '-p', 'tsconfig.json');
});
