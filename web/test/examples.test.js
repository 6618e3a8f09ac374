// Tests the example front end EXAMPLE_NAME, which is served at EXAMPLE_URL, in Chromium,
// against the server at MINTBURN_URL.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startBrowser, watch } from './browser.js';

const { EXAMPLE_NAME: name, EXAMPLE_URL: site, MINTBURN_URL: server } = process.env;
const screenshots = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'screenshots');

// drawnPicture is the prefix of the pictures inside the demo's documents.
const drawnPicture = 'data:image/svg+xml,';

async function open(t, search, { viewport } = {}) {
  assert.ok(name && site && server, 'set EXAMPLE_NAME, EXAMPLE_URL and MINTBURN_URL');
  await mkdir(screenshots, { recursive: true });
  const { context, outside, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  if (viewport) await page.setViewportSize(viewport);
  const problems = watch(page);
  const asked = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.postDataJSON().operationName);
  });
  await page.goto(`${site}/${search}`);
  return { page, problems, outside, asked };
}

async function screenshot(page, what) {
  await page.screenshot({ path: path.join(screenshots, `example-${name}-${what}.png`) });
}

// ask sends an operation from the test itself.
async function ask(query) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL('graphql', server), { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

// collections returns the mints of each collection, the largest first.
async function collections() {
  const { mints } = await ask('{ mints(first: 1000) { data { tokenAddress metadata { image } } } }');
  const grouped = new Map();
  for (const mint of mints.data) grouped.set(mint.tokenAddress, [...(grouped.get(mint.tokenAddress) ?? []), mint]);
  return [...grouped].sort((a, b) => b[1].length - a[1].length);
}

function list(page, title) {
  const section = page.getByRole('region', { name: title });
  return {
    total: async () => Number(await section.getByRole('heading').locator('data').getAttribute('value')),
    ids: () => section.getByRole('listitem').evaluateAll((items) => items.map(({ id }) => id)),
    ready: () => section.getByRole('heading').waitFor(),
  };
}

// scrollToTheEnd scrolls in every frame to the end of a list that has more to load, until
// no list has. It does not scroll to the end of the page, because the lists are side by
// side and the end of a shorter list would be out of view.
async function scrollToTheEnd(page) {
  await page.waitForFunction(() => {
    const end = document.querySelector('.end');
    end?.scrollIntoView();
    return !end;
  });
}

test('scrolling loads the whole collection, and the totals are right', async (t) => {
  const found = await collections();
  const [address] = found.find(([, mints]) => mints.some(({ metadata }) => metadata?.image?.startsWith(drawnPicture)));
  const want = await ask(`{
    mints(address: "${address}", order: DESC, first: 1000) { totalItems data { id } }
    burns(address: "${address}", order: DESC, first: 1000) { totalItems data { id } }
  }`);
  const { page, problems, outside, asked } = await open(t, `?address=${address}`);
  const mints = list(page, 'Mints');
  const burns = list(page, 'Burns');
  await Promise.all([mints.ready(), burns.ready()]);
  await page.waitForLoadState('networkidle');
  assert.ok((await mints.ids()).length < want.mints.totalItems, 'everything was loaded at the start');
  await screenshot(page, 'top');

  await scrollToTheEnd(page);
  assert.equal(await mints.total(), want.mints.totalItems);
  assert.equal(await burns.total(), want.burns.totalItems);
  assert.deepEqual(
    await mints.ids(),
    want.mints.data.map(({ id }) => id),
  );
  assert.deepEqual(
    await burns.ids(),
    want.burns.data.map(({ id }) => id),
  );
  const pages = (total) => Math.max(1, Math.ceil(total / 40));
  assert.equal(asked.filter((operation) => operation === 'Mints').length, pages(want.mints.totalItems));
  assert.equal(asked.filter((operation) => operation === 'Burns').length, pages(want.burns.totalItems));
  await page.evaluate(
    () =>
      new Promise((drawn) => {
        scrollTo(0, document.documentElement.scrollHeight);
        requestAnimationFrame(() => requestAnimationFrame(drawn));
      }),
  );
  await page.waitForFunction(() => [...document.images].some(({ naturalWidth }) => naturalWidth > 0));
  await screenshot(page, 'end');
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});

test('pictures inside documents are drawn on a small screen', async (t) => {
  const found = await collections();
  const [address] = found.find(([, mints]) => mints.some(({ metadata }) => metadata?.image?.startsWith('data:')));
  const { page, problems, outside } = await open(t, `?address=${address}`, { viewport: { width: 390, height: 800 } });
  await list(page, 'Mints').ready();
  const picture = page.locator('img[src^="data:"]').first();
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction((image) => image.complete && image.naturalWidth > 0, await picture.elementHandle());
  await screenshot(page, 'small');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});

test('without an address it shows the collection of the last mint', async (t) => {
  const { mints } = await ask('{ mints(order: DESC, first: 1) { data { id tokenAddress } } }');
  const { page, problems, outside } = await open(t, '');
  await list(page, 'Mints').ready();
  assert.equal(await page.getByRole('textbox').inputValue(), mints.data[0].tokenAddress);
  assert.equal((await list(page, 'Mints').ids())[0], mints.data[0].id);
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});

test('errors of the server are shown', async (t) => {
  const { page } = await open(t, '?address=0x12');
  await page.getByRole('alert').first().waitFor();
  assert.match(await page.getByRole('alert').first().textContent(), /address/i);
});
