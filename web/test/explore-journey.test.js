// Tests the way of a first-time viewer in Chromium, with the demo at MINTBURN_URL, and below a path of a
// proxy at PROXIED_URL: from / to a burned token's history, to the transaction that burned it, to its
// other records, to its query in GraphiQL, to that query as Python.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, cards, loaded, modelText, noSideways, part, start, tabTo, visit } from './explore.js';

const { MINTBURN_URL: demo, PROXIED_URL: proxied } = process.env;
assert.ok(demo && proxied, 'set MINTBURN_URL and PROXIED_URL');

// redeem returns a burn of the first page of its collection's burns, in a transaction with a mint.
async function redeem() {
  const { collections } = await ask(demo, `{ collections { data { address name burns(order: DESC, first: 24) { data {
    tokenId metadata { name } transactionHash blockNumber transaction { mints(first: 1) { totalItems data { metadata { name } tokenId tokenAddress } } burns(first: 0) { totalItems } }
  } } } } }`);
  const found = collections.data.flatMap(({ burns, ...collection }) => burns.data.map((burn) => ({ ...burn, collection })));
  return found.find(({ transaction }) => transaction.mints.totalItems > 0);
}

for (const [how, size, root] of [['clicks', 'wide', demo], ['clicks', 'phone', proxied], ['keys', 'wide', demo]]) {
  test(`a viewer finds what burned a token, by ${how}, ${size}`, async (t) => {
    const { page, problems, outside, shoot } = await start(t, { size });
    const { collection, tokenId, metadata, transactionHash, transaction } = await redeem();
    const name = metadata?.name ?? `#${tokenId}`;
    const follow = async (link, text) => {
      if (how === 'clicks') return link.click();
      await tabTo(page, text);
      await page.keyboard.press('Enter');
    };
    await page.goto(`${root}graphql`);
    assert.equal(page.url(), root);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    // The editor keeps the Tab key to itself.
    await page.getByRole('link', { name: 'Explore', exact: true }).click();
    await loaded(page);
    await noSideways(page);
    const card = cards(part(page, 'Newest collections')).filter({ hasText: collection.name });
    const [label] = await card.getByRole('link').first().allTextContents();
    await follow(card.getByRole('link').first(), label);
    await page.getByRole('heading', { name: collection.name, level: 1 }).waitFor();
    await loaded(page);
    await follow(page.getByRole('link', { name: /^burns \d/ }), /^burns \d/);
    await part(page, 'Burns').waitFor();
    await loaded(page);
    await noSideways(page);
    const burned = cards(part(page, 'Burns')).filter({ has: page.locator(`a[href$="/${collection.address}/${tokenId}"]`) }).first().getByRole('link').first();
    await follow(burned, (await burned.textContent()).trim());
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await loaded(page);
    await page.locator('.heading').getByText(/^Burned by 0x/).waitFor();
    await noSideways(page);
    await shoot('journey-token');
    const burn = part(page, 'History').getByRole('listitem').filter({ hasText: 'Burned' });
    const [minted] = transaction.mints.data;
    await burn.getByText(minted.metadata?.name ?? `#${minted.tokenId}`).first().waitFor();
    await follow(burn.locator(`a[href$="${transactionHash}"]`).first(), `${transactionHash.slice(0, 6)}…${transactionHash.slice(-4)}`);
    await page.getByRole('heading', { name: /^Transaction/, level: 1 }).waitFor();
    await loaded(page);
    const records = part(page, 'Mints and burns').locator('.history li');
    assert.equal(await records.count(), transaction.mints.totalItems + transaction.burns.totalItems);
    await noSideways(page);
    await shoot('journey-transaction');
    const link = page.getByRole('link', { name: 'Open query' });
    const { query, variables } = Object.fromEntries(new URL(await link.getAttribute('href')).searchParams);
    await follow(link, 'Open query');

    await page.waitForFunction((text) => globalThis.__MONACO?.editor.getModels().some((model) => model.getValue() === text), query, { polling: 100 });
    assert.equal(page.url(), root, 'the query is still in the URL, so a reload would open it again');
    assert.equal(await modelText(page, 'response.json'), '', 'the query ran without the button');
    assert.deepEqual(JSON.parse(await modelText(page, 'variables.json')), JSON.parse(variables));
    const [response] = await Promise.all([
      page.waitForResponse((got) => got.request().postDataJSON()?.query === query),
      follow(page.getByRole('button', { name: /^Execute query/ }), /^Execute query/),
    ]);
    const { data, errors } = await response.json();
    assert.equal(errors, undefined);
    assert.equal(data.transaction.burns.totalItems, transaction.burns.totalItems);
    const copy = page.locator('.page-tools').getByRole('button', { name: 'Copy as' });
    if (how === 'clicks') {
      await copy.click();
      await page.getByRole('menuitem', { name: 'Python' }).click();
    } else {
      await copy.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Python' }).waitFor();
      await page.keyboard.press('P');
      await page.keyboard.press('Enter');
    }
    const program = page.locator('.page-shown pre');
    await program.waitFor();
    const text = await program.textContent();
    assert.ok(text.includes('query Transaction(') && text.includes(transactionHash), text);
    assert.deepEqual(problems, []);
    assert.deepEqual(outside, []);
  });
}

test('a link to a query opens one tab', async (t) => {
  const { page, problems } = await start(t);
  await visit(page, new URL('explore/state', demo).href);
  const link = await page.locator('a.query').first().getAttribute('href');
  const tabs = page.locator('button[id^="graphiql-session-tab-"]');
  const counts = [];
  for (let times = 0; times < 2; times++) {
    await page.goto(link);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    counts.push(await tabs.count());
    // GraphiQL stores its tabs with a delay.
    await page.waitForFunction((query) => JSON.parse(localStorage.getItem('mintburn:graphiql:tabState') ?? '{"tabs":[]}').tabs.some((tab) => tab.query === query), new URL(link).searchParams.get('query'), { polling: 100 });
  }
  assert.equal(counts[0], counts[1]);
  assert.deepEqual(problems, []);
});

test('GraphiQL is usable on a phone, and Explore has its theme', async (t) => {
  const { page, problems, shoot } = await start(t, { size: 'phone', colorScheme: 'dark' });
  await page.goto(demo);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
  for (const [pane, height] of [['.graphiql-query-editor', 150], ['.result-window', 200]]) {
    const box = await page.locator(pane).boundingBox();
    assert.ok(box.width >= 350 && box.height >= height && box.y + box.height <= 844, `${pane}: ${JSON.stringify(box)}`);
  }
  await noSideways(page);
  await shoot('graphiql');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const box = await page.locator('.graphiql-doc-explorer').boundingBox();
  assert.ok(box.width >= 300 && box.height >= 150, JSON.stringify(box));
  await noSideways(page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.evaluate(() => localStorage.setItem('mintburn:graphiql:theme', 'light'));
  await page.getByRole('link', { name: 'Explore', exact: true }).click();
  await loaded(page);
  assert.notEqual(await ground(), dark);
  assert.deepEqual(problems, []);
});
