// Verifies the proofs in files, and prints their mints and burns as NDJSON:
//
//   node main.js [--block-hash HASH] FILE…
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { answersOf, verify } from './verify.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'block-hash': { type: 'string' } } });
for (const answer of positionals.flatMap((file) => answersOf(readFileSync(file, 'utf8')))) {
  for (const record of await verify(answer, { blockHash: values['block-hash'] })) console.log(JSON.stringify(record));
}
