// Tests the docs in Chromium, with the demo at MINTBURN_URL, and below a path of a proxy at
// PROXIED_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, loaded, noSideways, SIZES, start, tabTo } from './explore.js';

const { MINTBURN_URL: demo, PROXIED_URL: proxied } = process.env;
assert.ok(demo && proxied, 'set MINTBURN_URL and PROXIED_URL');

const PAGES = ['', 'run', 'rest', 'examples/README', 'search?q=reorg+cursor', 'search?q=zzzz'];

// heading waits until a heading is at the top of the window.
const heading = async (page, name) => {
  const title = page.getByRole('main').getByRole('heading', { name, exact: true });
  await title.waitFor();
  const handle = await title.elementHandle();
  await page.waitForFunction((element) => Math.abs(element.getBoundingClientRect().top) < 100, handle, { polling: 50 });
};

for (const [root, size] of [[demo, 'wide'], [proxied, 'phone']]) {
  test(`a reader searches and follows links: ${size} at ${new URL(root).pathname}`, async (t) => {
    const { page, problems, outside, shoot } = await start(t, { size });
    await page.goto(`${root}explore`);
    await loaded(page);
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('heading', { name: 'Mintburn', level: 1 }).waitFor();
    assert.equal(page.url(), `${root}docs/`);
    await page.getByRole('searchbox').fill('cursor_reorged');
    await page.keyboard.press('Enter');
    await page.getByText('sections contain “cursor_reorged”').waitFor();
    await shoot('docs-search');
    await page.getByRole('link', { name: 'Indexing › Finality and reorgs' }).click();
    await heading(page, 'Finality and reorgs');
    assert.equal(page.url(), `${root}docs/indexing#finality-and-reorgs`);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: 'New blocks', exact: true }).click();
    await heading(page, 'New blocks');
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'The API', exact: true }).click();
    const file = await page.getByRole('link', { name: 'schema.graphqls' }).evaluate(({ href }) => href);
    assert.match(await (await page.request.get(file)).text(), /^type Query {/m);
    await page.getByRole('link', { name: '/openapi.json' }).click();
    await page.getByRole('heading', { name: 'REST routes', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Docs', exact: true }).evaluate(({ href }) => href), `${root}docs/`);
    assert.deepEqual(problems, []);
    assert.deepEqual(outside, []);
  });
}

test('each kind of page fits the window', async (t) => {
  const { page, problems } = await start(t);
  for (const at of PAGES) {
    await page.goto(`${demo}docs/${at}`);
    for (const size of Object.values(SIZES)) {
      await page.setViewportSize(size);
      await noSideways(page);
    }
  }
  assert.deepEqual(problems, []);
});

for (const [colorScheme, size] of [['light', 'phone'], ['dark', 'wide']]) {
  test(`each kind of page is accessible: ${colorScheme}, ${size}`, async (t) => {
    const { page, problems, shoot } = await start(t, { colorScheme, size });
    for (const at of ['', 'rest', 'search?q=reorg+cursor']) {
      await page.goto(`${demo}docs/${at}`);
      await accessible(page, `${at} ${size}`);
    }
    await shoot(`docs-${colorScheme}`);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(red + green + blue < 300, colorScheme === 'dark');
    assert.deepEqual(problems, []);
  });
}

test('the longest page is small, prints without its navigation, and has a skip link', async (t) => {
  const { page } = await start(t);
  await page.goto(`${demo}docs/api`);
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ encodedBodySize }) => encodedBodySize).reduce((sum, size) => sum + size, 0),
  );
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 5_000 && bytes < 40_000, `${bytes} bytes`);
  await tabTo(page, 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'content', null, { polling: 50 });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('heading', { name: 'The API', level: 1 }).isVisible(), true);
  for (const hidden of [page.locator('.page-header'), page.locator('#pages'), page.locator('#contents'), page.getByRole('searchbox')]) assert.equal(await hidden.isVisible(), false);
});
