// Tests the docs in Chromium, with the demo at MINTBURN_URL, and below a path of a proxy at
// PROXIED_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, loaded, noSideways, SIZES, start, tabTo } from './explore.js';

const { MINTBURN_URL: demo, PROXIED_URL: proxied } = process.env;
assert.ok(demo && proxied, 'set MINTBURN_URL and PROXIED_URL');

const PAGES = ['', 'api', 'api/filters', 'graphql', 'graphql/type-token', 'run', 'rest', 'examples/README', 'search?q=reorg+cursor', 'search?q=zzzz'];

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
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
    assert.equal(page.url(), `${root}docs/`);
    await page.getByRole('searchbox').fill('cursor_reorged');
    await page.keyboard.press('Enter');
    await page.getByText(/\d+ sections contain “cursor_reorged”/).waitFor();
    await shoot('docs-search');
    await page.getByRole('link', { name: 'Indexing › Finality and reorgs' }).click();
    await heading(page, 'Finality and reorgs');
    assert.equal(page.url(), `${root}docs/indexing#finality-and-reorgs`);
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: 'New blocks', exact: true }).click();
    await heading(page, 'New blocks');
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'The API', exact: true }).click();
    await page.getByRole('link', { name: 'schema.graphqls' }).click();
    await page.getByRole('heading', { name: 'GraphQL reference', level: 1 }).waitFor();
    const file = await page.getByRole('link', { name: 'schema.graphqls' }).evaluate(({ href }) => href);
    assert.match(await (await page.request.get(file)).text(), /^type Query {/m);
    await page.goBack();
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'REST routes' }).click();
    await page.getByRole('link', { name: '/openapi.json' }).click();
    await page.getByRole('heading', { name: 'REST reference', level: 1 }).waitFor();
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
    for (const at of ['', 'api', 'api/filters', 'graphql/type-token', 'rest', 'search?q=reorg+cursor']) {
      await page.goto(`${demo}docs/${at}`);
      await accessible(page, `${at} ${size}`);
    }
    await shoot(`docs-${colorScheme}`);
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    assert.equal(red + green + blue < 300, colorScheme === 'dark');
    assert.deepEqual(problems, []);
  });
}

for (const root of [demo, proxied]) {
  test(`examples have the address of the server, colours, and a button that copies: ${new URL(root).pathname}`, async (t) => {
    const { page, problems } = await start(t);
    await page.goto(`${root}docs/`);
    const example = page.locator('.block').first();
    assert.match(await example.innerText(), new RegExp(`^curl -s ${root}graphql `));
    assert.equal(await example.locator('.code-string').first().innerText(), "'content-type: application/json'");
    await example.getByRole('button', { name: 'Copy' }).click();
    await example.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Control+V');
    assert.match(await page.getByRole('searchbox').inputValue(), new RegExp(`^curl -s ${root}graphql`));
    assert.equal(await page.getByRole('link', { name: `${root}explore` }).getAttribute('href'), `${root}explore`);
    await page.goto(`${root}docs/install`);
    assert.ok(!(await page.getByRole('main').innerText()).includes(root));
    await page.goto(`${root}docs/api/paging`);
    await page.getByRole('link', { name: 'Open in the Playground' }).first().click();
    await page.getByText('mints(account: "0x4bc9').waitFor();
    assert.deepEqual(problems, []);
  });

  test(`addresses of headings that were on another page lead to them: ${new URL(root).pathname}`, async (t) => {
    const { page } = await start(t);
    for (const [from, to, name] of [
      ['api#times', 'api/filters#times', 'Times'],
      ['api#paging', 'api/paging', 'Paging'],
      ['#mints-of-a-block', 'README#mints-of-a-block', 'Mints of a block'],
    ]) {
      await page.goto(`${root}docs/${from}`);
      await page.waitForURL(`${root}docs/${to}`);
      await page.getByRole('main').getByRole('heading', { name, exact: true }).waitFor();
    }
  });
}

test('the longest page is small, prints without its navigation, and has a skip link', async (t) => {
  const { page } = await start(t);
  await page.goto(`${demo}docs/decisions`);
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ encodedBodySize }) => encodedBodySize).reduce((sum, size) => sum + size, 0),
  );
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 5_000 && bytes < 40_000, `${bytes} bytes`);
  await tabTo(page, 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'content', null, { polling: 50 });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('heading', { name: 'Design decisions', level: 1 }).isVisible(), true);
  for (const hidden of [page.locator('.page-header'), page.locator('.pages'), page.locator('.contents'), page.getByRole('searchbox')]) assert.equal(await hidden.isVisible(), false);
});
