// Tests what shows changes in Chromium: the tab Changes of the page, and examples/live at
// EXAMPLE_URL. Blocks are added through MINTBURN_CONTROL, see web/clients/live/feed.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startBrowser, watch } from './browser.js';

const { MINTBURN_URL: url, MINTBURN_CONTROL: control, EXAMPLE_URL: example } = process.env;

async function add(event) {
  const response = await fetch(new URL(event, control), { method: 'POST' });
  assert.equal(response.status, 200);
}

// delivered waits until the page shows the records of the last block.
async function delivered(page) {
  const response = await fetch(new URL('v1/block/latest/nft/mints', url));
  const [{ block_number, token_id, token_address }] = (await response.json()).data;
  await page.locator('.record:not(.void)', { hasText: `Block ${block_number}: minted ${token_id} of ${token_address}` }).waitFor();
}

test('the tab Changes shows the records of a new block, until it is stopped', async (t) => {
  const { context, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  const problems = watch(page);
  // GraphiQL shows only the last batch, and one with the documents of a block soon follows its records.
  const shown = (text) => page.waitForFunction((want) => globalThis.shown.some((response) => response.includes(want)), text);
  await page.goto(url);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.evaluate(() => {
    const model = globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'));
    globalThis.shown = [];
    model.onDidChangeContent(() => globalThis.shown.push(model.getValue()));
  });
  await page.locator('button[id^="graphiql-session-tab-"]').filter({ hasText: 'Changes' }).click();
  await page.locator('.graphiql-query-editor .view-line', { hasText: /subscription\s+Changes/ }).first().waitFor();
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await shown('"changes": []');
  await add('add');
  await shown('"tokenAddress"');
  await page.getByRole('button', { name: /^Stop query/ }).click();
  await page.getByRole('button', { name: /^Execute query/ }).waitFor();
  assert.deepEqual(problems.filter((problem) => !problem.endsWith('net::ERR_ABORTED')), []);
});

test('examples/live shows records and reorgs, also one while no server ran', async (t) => {
  const { context, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  await page.goto(`${example}?server=${new URL(url).origin}`);
  await page.getByText('Connected').waitFor();
  await add('add');
  await page.locator('.record').first().waitFor();
  await add('fill');
  await delivered(page);
  await add('add');
  await page.locator('.reorg').first().waitFor();
  assert.ok((await page.locator('.void').count()) > 0, 'no record is void');
  await add('fill');
  await delivered(page);
  await add('kill');
  await page.locator('.reorg').nth(1).waitFor();
  await delivered(page);
});
