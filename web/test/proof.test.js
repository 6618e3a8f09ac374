// Tests the page of examples/verify-proof at EXAMPLE_URL in Chromium, with the answers in the file
// PROOFS, whose records are in the file RECORDS. BLOCK_HASH is the hash of another block.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { startBrowser, watch } from './browser.js';

const { EXAMPLE_URL: site, PROOFS: proofs, RECORDS: records, BLOCK_HASH: other } = process.env;

test('the page shows what a file proves, and refuses another block', async (t) => {
  const { context, outside, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  const problems = watch(page);
  await page.goto(site);
  await page.locator('input[type=file]').setInputFiles(proofs);
  await page.getByRole('status').filter({ hasText: 'Proved: ' }).waitFor();
  assert.equal(`${await page.locator('pre').textContent()}\n`, await readFile(records, 'utf8'));

  await page.getByRole('textbox').fill(other);
  await page.getByRole('textbox').blur();
  await page.getByRole('status').filter({ hasText: `want ${other}` }).waitFor();
  assert.equal(await page.locator('pre').textContent(), '');
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});
