// Tests what shows changes in Chromium: the tab Changes of the page, Explore, and examples/live at
// EXAMPLE_URL. Blocks are added through MINTBURN_CONTROL, see web/clients/live/feed.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startBrowser, watch } from './browser.js';

const { MINTBURN_URL: url, MINTBURN_CONTROL: control, MINTBURN_EXPIRED: expired, EXAMPLE_URL: example } = process.env;

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
  assert.deepEqual(problems, []);
});

// newest returns the names of the newest mints.
async function newest() {
  const query = '{ mints(order: DESC, first: 12) { totalItems data { tokenId blockNumber metadata { name } } } burns(first: 0) { totalItems } }';
  const response = await fetch(new URL('graphql', url), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });
  const { mints, burns } = (await response.json()).data;
  return { names: mints.data.map(({ tokenId, metadata }) => metadata?.name ?? `#${tokenId}`), mints: mints.totalItems, burns: burns.totalItems };
}

// caughtUp waits until the gallery of Explore shows the newest mints, and the chart counts all records. A page that loads
// news often does so more slowly, for which its clock advances.
async function caughtUp(page) {
  const want = await newest();
  const isThere = ({ names, mints, burns }) => {
    const rows = [...document.querySelectorAll('#activity tbody tr')];
    const sum = (column) => rows.reduce((total, row) => total + Number(row.children[column].textContent.replaceAll(',', '')), 0);
    const shown = [...document.querySelectorAll('#mints .card-name')].map(({ textContent }) => textContent);
    const total = document.querySelector('#mints .more').textContent.endsWith(`12 of ${mints.toLocaleString('en')} mints`);
    return total && shown.join() === names.join() && sum(1) === mints && sum(2) === burns;
  };
  for (let tries = 0; ; tries++) {
    try {
      return await page.waitForFunction(isThere, want, { polling: 50, timeout: 5_000 });
    } catch (error) {
      if (tries === 8) throw error;
      await page.clock.fastForward(36_000);
    }
  }
}

// isLive waits until Explore has a connection.
const isLive = (page) => page.locator('.live > .live').waitFor();

test('the first chart of Explore has records, whatever the clock, and shows those before a long hole', async (t) => {
  const { context, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  const problems = watch(page);
  // The recording is of 2026. The blocks of a clock before it have the time of its last block.
  for (const clock of ['2025-01-01T00:00:00Z', '2028-06-01T00:00:00Z']) {
    await add(`clock?at=${clock}`);
    await add('add');
    await page.clock.setFixedTime(clock);
    await page.goto(new URL('explore', url).href);
    await isLive(page);
    const { mints, burns } = await newest();
    await page.locator('#activity .soft', { hasText: `${mints.toLocaleString('en')} mints and ${burns.toLocaleString('en')} burns from 2026-10-19 to ` }).waitFor();
    await page.locator('.hero').waitFor();
  }
  assert.deepEqual(problems, []);
});

test('Explore shows new mints and reorgs without a reload, also those that came while it had no connection', async (t) => {
  const { context, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  const problems = watch(page);
  await page.clock.install();
  const sockets = [];
  page.on('websocket', (socket) => sockets.push(socket));
  let loads = 0;
  page.on('load', () => loads++);
  // All records, in long bars.
  await page.goto(new URL('explore?range=1600000000-1999999999', url).href);
  await isLive(page);
  await caughtUp(page);
  assert.equal(sockets.length, 1, 'the gallery and the chart have a connection each');

  await add('add');
  await caughtUp(page);
  const response = await fetch(new URL('v1/block/latest/nft/mints', url));
  const [{ block_number: head }] = (await response.json()).data;
  await page.locator('.hero', { hasText: `at block ${head.toLocaleString('en')} ` }).waitFor();
  assert.equal(await page.locator('.reorg').count(), 0);

  await add('fill');
  await caughtUp(page);
  await add('add');
  const reorg = page.locator('.reorg').first();
  assert.match(await reorg.textContent(), /^A reorg made blocks? [\d,]+( to [\d,]+)? void, with .+\. In their place came .+\.$/);
  await caughtUp(page);

  // A hidden tab has no connection.
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const closed = sockets.at(-1).waitForEvent('close');
  await hide(true);
  await closed;
  await add('add');
  await hide(false);
  await isLive(page);
  await caughtUp(page);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused').waitFor();
  await add('add');
  await page.getByRole('button', { name: 'Continue' }).click();
  await caughtUp(page);

  // Back, after a while on another page.
  await page.locator('#mints .card a').first().click();
  await page.getByRole('region', { name: 'History' }).waitFor();
  await add('add');
  await page.goBack();
  await isLive(page);
  await caughtUp(page);
  assert.deepEqual(problems, []);

  const lost = page.locator('.live > .waiting').waitFor();
  await add('kill');
  await lost;
  await isLive(page);
  await caughtUp(page);
  assert.equal(loads, 1);
});

test('Explore loads again if its cursor has expired, and the chart of a collection is live', async (t) => {
  const { context, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  await page.clock.install();
  let loads = 0;
  const again = new Promise((resolve) => {
    page.on('request', (request) => {
      if (request.postData()?.includes('query Overview') && ++loads === 2) resolve();
    });
  });
  const cursors = [];
  await page.routeWebSocket(/graphql$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'subscribe' && cursors.push(message.payload.variables.after) === 1) message.payload.variables.after = expired;
      server.send(JSON.stringify(message));
    });
  });
  await page.route('**/graphql', async (route) => {
    const body = route.request().postDataJSON();
    if (body.query.includes('query News') && loads === 1) body.variables.after = expired;
    await route.continue({ postData: JSON.stringify(body) });
  });
  await page.goto(new URL('explore?range=1600000000-1999999999', url).href);
  await again;
  await isLive(page);
  await caughtUp(page);
  assert.ok(cursors.every(Boolean));
  await add('add');
  await caughtUp(page);

  const response = await fetch(new URL('v1/block/latest/nft/mints', url));
  const [{ token_address: address }] = (await response.json()).data;
  const summary = page.locator('#activity .soft', { hasText: /^[\d,]+ mints and / });
  const mints = async () => Number.parseInt((await summary.textContent()).replaceAll(',', ''), 10);
  await page.goto(new URL(`explore/${address}?tab=activity`, url).href);
  const before = await mints();
  const said = await summary.textContent();
  await add('add');
  await page.waitForFunction((text) => !document.querySelector('#activity').textContent.includes(text), said, { polling: 50 });
  assert.ok((await mints()) > before);
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
