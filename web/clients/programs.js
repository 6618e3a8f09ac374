// Tests the programs that the Playground's "Copy as" writes: runs each form, for a query with every
// quotation mark, with and without an API key, and for a subscription.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { PROGRAMS } from '../src/programs.js';
import { ask, url } from './server.js';

const key = process.env.MINTBURN_KEY;
const cwd = fileURLToPath(new URL('.', import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), 'mintburn-programs-'));
after(() => rm(folder, { recursive: true }));
const run = promisify(execFile);

const query = `# It's \`code\`, \${x}, "quoted", a \\ and """.
query Quotes($address: Address!, $first: Int, $text: String) {
  mints(address: $address, first: $first) { totalItems data { id tokenId } }
  collections(search: $text) { totalItems }
  quoted: collections(search: "it's \\"\`\${x}\\\\n") { totalItems }
  block: collections(search: """a "quoted" one""") { totalItems }
}`;

// commands has how each form is run.
const node = async (text) => [process.execPath, ['--input-type=module', '-e', text]];
const commands = {
  curl: async (text) => ['sh', ['-c', `exec ${text}`]],
  fetch: node,
  Apollo: node,
  urql: node,
  Python: async (text) => ['python3', ['-c', text]],
  Go: async (text) => {
    const file = path.join(folder, 'main.go');
    await writeFile(file, text);
    await run('go', ['build', '-o', path.join(folder, 'program'), file], { cwd: folder });
    return [path.join(folder, 'program'), []];
  },
};

// plain removes what Apollo's client adds.
const plain = (text) => JSON.parse(text, (name, value) => (name === '__typename' ? undefined : value));

assert.deepEqual(Object.keys(commands), Object.keys(PROGRAMS));
for (const [form, write] of Object.entries(PROGRAMS)) {
  test(form, async (t) => {
    const { mints } = await ask('{ mints(first: 1) { data { tokenAddress } } }');
    const variables = { address: mints.data[0].tokenAddress, first: 3, text: 'it\'s "`${x}\\n\n \u2028 é 😀' };
    const want = await ask(query, variables);
    const result = async (text) => {
      const [command, args] = await commands[form](text);
      return run(command, args, { cwd, timeout: 60_000 });
    };
    await t.test('without a key', async () => {
      const { stdout } = await result(write({ url, query, variables, headers: {}, subscribes: false }));
      assert.deepEqual(plain(stdout), { data: want });
    });
    for (const headers of [{ 'X-API-Key': key }, { authorization: `Bearer ${key}` }]) {
      await t.test(`with a key in ${Object.keys(headers)}`, async () => {
        const text = write({ url, query, variables, headers, subscribes: false });
        assert.ok(!text.includes(key), 'the program has the key');
        const { stdout } = await result(text.replace('YOUR_API_KEY', key));
        assert.deepEqual(plain(stdout), { data: want });
        const { stdout: out, stderr } = await result(text).catch((failed) => failed);
        assert.match(`${out}${stderr}`, /UNAUTHENTICATED|401/);
      });
    }
    await t.test('a subscription', async () => {
      const text = write({ url, query: 'subscription { changes { cursor } }', variables: {}, headers: {}, subscribes: true });
      const [command, args] = await commands[form](text);
      const child = spawn(command, args, { cwd });
      t.after(() => child.kill());
      let said = '';
      for await (const part of child.stdout) if ((said += part).includes('"cursor"')) break;
      assert.match(said, /"cursor": ?"/);
    });
  });
}
