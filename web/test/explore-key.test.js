// Tests Explore in Chromium at KEYED_URL, a server that admits only requests with API_KEY and names a
// block explorer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, loaded, modelText, part, start } from './explore.js';

const { KEYED_URL: server, API_KEY: key } = process.env;
assert.ok(server && key, 'set KEYED_URL and API_KEY');

test('Explore asks for the key once, and sends it as a header only', async (t) => {
  const { page, problems, outside } = await start(t);
  const requests = [];
  page.on('request', (request) => requests.push(request));
  const toAPI = () => requests.filter((request) => new URL(request.url()).pathname === '/graphql');
  const { burns } = await ask(server, '{ burns(order: DESC, first: 1) { data { tokenAddress tokenId transactionHash blockNumber } } }', {}, { authorization: `Bearer ${key}` });
  const [{ tokenAddress, tokenId, transactionHash, blockNumber }] = burns.data;
  await page.goto(new URL(`explore/${tokenAddress}/${tokenId}`, server).href);
  await page.getByText('This server needs an API key.').waitFor();
  await accessible(page, 'key');
  assert.deepEqual(toAPI(), []);
  assert.deepEqual(problems, []);
  const enter = async (text) => {
    await page.locator('input[name=key]').fill(text);
    await page.keyboard.press('Enter');
  };
  await enter(`mintburn_${'0'.repeat(64)}`);
  await page.getByText('The server does not accept this key.').waitFor();
  await enter(key);
  await part(page, 'History').waitFor();
  await loaded(page);
  await page.reload();
  await part(page, 'History').waitFor();
  await loaded(page);
  assert.equal(await page.getByRole('alert').count(), 0);
  for (const request of toAPI().slice(-2)) assert.equal(await request.headerValue('authorization'), `Bearer ${key}`);
  for (const request of requests) assert.ok(!request.url().includes(key), request.url());

  // The WebSocket sends it in its first message.
  const admitted = page.waitForEvent('websocket', (socket) => socket.waitForEvent('framereceived', ({ payload }) => payload.includes('"connection_ack"')));
  await page.getByRole('link', { name: 'Explore', exact: true }).click();
  const socket = await admitted;
  assert.ok(!socket.url().includes(key), socket.url());
  await page.goBack();
  await part(page, 'History').waitFor();

  // The links to the block explorer are EIP-3091's.
  const out = async () => (await page.locator('a.out').evaluateAll((list) => list.map(({ href, target, rel }) => `${href} ${target} ${rel}`))).sort();
  const to = (path) => `https://scan.example/chain/${path} _blank noopener noreferrer`;
  assert.ok((await out()).includes(to(`token/${tokenAddress}`)));
  assert.ok((await out()).includes(to(`tx/${transactionHash}`)));
  await part(page, 'History').getByRole('link', { name: blockNumber.toLocaleString('en') }).first().click();
  await page.getByRole('heading', { name: /^Block/, level: 1 }).waitFor();
  await loaded(page);
  assert.ok((await out()).includes(to(`block/${blockNumber}`)));
  await page.goto(new URL(`explore/account/${tokenAddress}`, server).href);
  await page.getByRole('heading', { name: /^Account/, level: 1 }).waitFor();
  assert.ok((await out()).includes(to(`address/${tokenAddress}`)));
  assert.deepEqual(outside, []);
});

test('the Playground asks for the key once, then has the schema and the examples; Explore has the key', async (t) => {
  const { page, problems, outside } = await start(t);
  const requests = [];
  page.on('request', (request) => requests.push(request));
  const toAPI = () => requests.filter((request) => new URL(request.url()).pathname === '/graphql');
  const enter = async (text) => {
    await page.locator('input[name=key]').fill(text);
    await page.keyboard.press('Enter');
  };
  await page.goto(server);
  await page.getByText('This server needs an API key.').waitFor();
  await accessible(page, 'playground-key');
  assert.deepEqual(toAPI(), []);
  await enter(`mintburn_${'0'.repeat(64)}`);
  await page.getByText('The server does not accept this key.').waitFor();
  await enter(key);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  const tabs = page.locator('button[id^="graphiql-session-tab-"]');
  assert.equal(await tabs.count(), 10);
  for (const name of ['MintsByBlock', 'Batch']) {
    await tabs.filter({ hasText: name }).click();
    await page.waitForFunction((title) => globalThis.__MONACO?.editor.getModels().some((model) => model.getValue().includes(`query ${title}(`)), name, { polling: 100 });
    assert.doesNotMatch(await modelText(page, 'operation.graphql'), /no example/);
    assert.doesNotMatch(await modelText(page, 'variables.json'), /0x0{40}/);
  }
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
  for (const request of toAPI()) assert.equal(await request.headerValue('authorization'), `Bearer ${key}`);
  for (const request of requests) assert.ok(!request.url().includes(key), request.url());
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: 'curl' }).click();
  const program = await page.getByRole('dialog').locator('pre').textContent();
  assert.ok(program.includes('Authorization: Bearer YOUR_API_KEY') && !program.includes(key), program);

  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.getByRole('link', { name: 'Explore', exact: true }).click();
  await loaded(page);
  assert.equal(await page.locator('input[name=key]').count(), 0);
  assert.deepEqual(problems, []);
  assert.deepEqual(outside, []);
});
