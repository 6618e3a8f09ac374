// Tests the pages of several chains in Chromium: those of demo and recorded at CHAINS_URL, a server without
// a default chain, below the path of a proxy at PROXIED_URL, and with demo as the default at DEFAULT_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, loaded, modelText, noSideways, part, start, unexpected, visit } from './explore.js';

const { CHAINS_URL: chains, PROXIED_URL: proxied, DEFAULT_URL: withDefault } = process.env;
assert.ok(chains && proxied && withDefault, 'set CHAINS_URL, PROXIED_URL and DEFAULT_URL');

// newest returns the path of the page of the newest mint's token.
async function newest(at) {
  const { mints } = await ask(at, '{ mints(order: DESC, first: 1, partial: true) { data { tokenAddress tokenId } } }');
  const [{ tokenAddress, tokenId }] = mints.data;
  return `explore/${tokenAddress}/${tokenId}`;
}

// paths collects the paths of all requests of a page and its workers, also of WebSockets.
function paths(page) {
  const list = [];
  page.context().on('request', (request) => list.push(new URL(request.url()).pathname));
  page.on('websocket', (socket) => list.push(new URL(socket.url()).pathname));
  return list;
}

// only fails unless all paths so far are below a URL, and forgets them.
function only(list, below) {
  const { pathname } = new URL(below);
  assert.deepEqual(list.filter((path) => !path.startsWith(pathname)), []);
  assert.ok(list.splice(0).length > 0);
}

// change opens the switch and returns the link to a chain.
async function change(page, from, to) {
  const choice = page.locator('.page-chains');
  await choice.locator('summary', { hasText: from }).click();
  const link = choice.getByRole('link', { name: to, exact: true });
  await link.waitFor();
  return link;
}

// playground opens the Playground, at an address if there is one, and waits until its editor is shown.
async function playground(page, address) {
  if (address) await page.goto(address);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.waitForFunction(() => globalThis.__MONACO?.editor.getModels().length > 0, null, { polling: 50 });
}

for (const [server, size, colorScheme] of [[chains, 'wide', 'light'], [proxied, 'phone', 'dark']]) {
  test(`the switch keeps the page of a token: ${size} at ${new URL(server).pathname}`, async (t) => {
    const { page, problems, outside, shoot } = await start(t, { size, colorScheme });
    const asked = paths(page);
    const token = await newest(`${server}recorded/`);
    await visit(page, `${server}demo/explore`);
    await accessible(page, 'the switch');
    // A link within Explore loads no document. The links of the switch follow.
    await page.locator('.card a').first().click();
    await loaded(page);
    const path = page.url().slice(`${server}demo/`.length);
    assert.match(path, /^explore\/0x/);
    await part(page, 'History').or(part(page, 'Tokens')).first().waitFor();
    only(asked, `${server}demo/`);
    const link = await change(page, 'demo', 'recorded');
    await accessible(page, 'the open switch');
    await noSideways(page);
    await shoot('chains');
    assert.equal(await page.locator('.page-chains a[aria-current]').textContent(), 'demo');
    asked.splice(0);
    await link.click();
    await page.waitForURL(`${server}recorded/${path}`);
    await loaded(page);
    only(asked, `${server}recorded/`);
    await visit(page, `${server}recorded/${token}`);
    await part(page, 'History').waitFor();
    const back = await change(page, 'recorded', 'demo');
    assert.equal(await back.evaluate(({ href }) => href), `${server}demo/${token}`);
    only(asked, `${server}recorded/`);
    assert.deepEqual(unexpected(problems), []);
    assert.deepEqual(outside, []);
  });
}

test('the documentation leads back to its chain, and a block is another one elsewhere', async (t) => {
  const { page, problems, outside } = await start(t);
  const asked = paths(page);
  const { chain } = await ask(`${proxied}recorded/`, '{ chain { head { number } } }');
  await visit(page, `${proxied}recorded/explore/block/${chain.head.number}`);
  assert.equal(await (await change(page, 'recorded', 'demo')).evaluate(({ href }) => href), `${proxied}demo/explore`);
  await page.getByRole('link', { name: 'Docs', exact: true }).click();
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'The API', exact: true }).click();
  await page.getByRole('heading', { name: 'The API', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Explore', exact: true }).click();
  await loaded(page);
  assert.equal(page.url(), `${proxied}recorded/explore`);
  only(asked, `${proxied}recorded/`);
  assert.deepEqual(unexpected(problems), []);
  assert.deepEqual(outside, []);
});

test('the Playground keeps the tabs of each chain, and one theme', async (t) => {
  const { page, problems, outside } = await start(t);
  const asked = paths(page);
  await playground(page, `${chains}demo/`);
  const query = await modelText(page, 'operation.graphql');
  await page.locator('.graphiql-query-editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.insertText('# of demo ');
  await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes('# of demo')), null, { polling: 50 });
  await page.getByRole('button', { name: 'Open settings dialog' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Dark', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.body.classList.contains('graphiql-dark'), null, { polling: 50 });
  only(asked, `${chains}demo/`);
  await (await change(page, 'demo', 'recorded')).click();
  await page.waitForURL(`${chains}recorded/`);
  await playground(page);
  await page.waitForFunction(() => document.body.classList.contains('graphiql-dark'), null, { polling: 50 });
  assert.equal(await modelText(page, 'operation.graphql'), query);
  only(asked, `${chains}recorded/`);
  await (await change(page, 'recorded', 'demo')).click();
  await page.waitForURL(`${chains}demo/`);
  await playground(page);
  assert.equal(await modelText(page, 'operation.graphql'), `# of demo ${query}`);
  await visit(page, `${chains}recorded/explore`);
  assert.ok(await page.evaluate(() => document.body.classList.contains('graphiql-dark')), 'Explore has another theme');
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});

test('the root lists the chains, or shows the default one', async (t) => {
  const { page, problems, outside } = await start(t, { size: 'phone' });
  await page.goto(chains);
  assert.equal(await page.locator('script').count(), 0);
  await accessible(page, 'the list');
  await noSideways(page);
  await page.getByRole('listitem').filter({ hasText: 'recorded' }).getByRole('link', { name: 'Explore' }).click();
  await loaded(page);
  assert.equal(page.url(), `${chains}recorded/explore`);

  const token = await newest(withDefault);
  await visit(page, `${withDefault}${token}`);
  await part(page, 'History').waitFor();
  for (const name of ['recorded', 'demo']) {
    assert.equal(await page.locator('.page-chains').getByText(name, { exact: true }).and(page.locator('a')).evaluate(({ href }) => href), `${withDefault}${name}/${token}`);
  }
  await (await change(page, 'demo', 'recorded')).click();
  await page.waitForURL(`${withDefault}recorded/${token}`);
  await loaded(page);
  assert.deepEqual(unexpected(problems), []);
  assert.deepEqual(outside, []);
});
