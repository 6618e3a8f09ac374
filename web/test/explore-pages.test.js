// Tests the pages of Explore in Chromium, with the demo at MINTBURN_URL, and at TRUSTING_URL with trusted
// documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, cards, drawn, loaded, noSideways, part, SIZES, start, unexpected, visit } from './explore.js';

const { MINTBURN_URL: demo, TRUSTING_URL: trusting } = process.env;
assert.ok(demo && trusting, 'set MINTBURN_URL and TRUSTING_URL');
const at = (path) => new URL(`explore${path && '/'}${path}`, demo).href;

// story returns things of the demo: a burned token whose transaction has other records, and a collection with traits.
async function story() {
  const { burns, collections } = await ask(demo, `{
    burns(order: DESC, first: 500) { data { tokenAddress tokenId contractType transactionHash blockNumber from transaction { mints(first: 0) { totalItems } } } }
    collections { data { address name mints(first: 0) { totalItems } traits(first: 1) { totalItems } tokens(first: 0) { totalItems } } }
  }`);
  const redeem = burns.data.find(({ contractType, transaction: { mints } }) => contractType === 'ERC721' && mints.totalItems > 0);
  const collection = collections.data.filter(({ traits }) => traits.totalItems > 0).sort((a, b) => b.tokens.totalItems - a.tokens.totalItems)[0];
  return { redeem, collection };
}

test('every view is accessible in both themes, fits 320 px, and its queries run', async (t) => {
  const { page, problems, outside, shoot } = await start(t);
  const { redeem, collection } = await story();
  const token = `${redeem.tokenAddress}/${redeem.tokenId}`;
  const asked = new Set();
  for (const [name, path] of Object.entries({
    overview: '', state: 'state', tokens: collection.address, mints: `${collection.address}?tab=mints`, burns: `${redeem.tokenAddress}?tab=burns`,
    activity: `${collection.address}?tab=activity`, token, 'no token': `${redeem.tokenAddress}/987654321`, 'no collection': `0x${'ab'.repeat(20)}`,
    transaction: `tx/${redeem.transactionHash}`, block: `block/${redeem.blockNumber}`, account: `account/${redeem.from}`,
  })) {
    await page.setViewportSize(SIZES.wide);
    await page.emulateMedia({ colorScheme: 'light' });
    await visit(page, at(path));
    await accessible(page, name);
    await noSideways(page);
    await shoot(name);
    await page.setViewportSize(SIZES.narrow);
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, `${name}, dark and narrow`);
    await noSideways(page);
    await shoot(name);
    assert.match(await page.title(), /^.+ · Mintburn$/, name);
    assert.equal(await page.getByRole('alert').count(), 0, name);
    const links = await page.locator('a.query').evaluateAll((list) => list.map(({ href }) => href));
    for (const link of links) asked.add(link);
    await visit(page, at(path).replace(demo, trusting));
    assert.equal(await page.locator('a.query').count(), links.length, name);
    assert.equal(await page.getByRole('alert').count(), 0, `${name} with trusted documents`);
  }
  assert.deepEqual([unexpected(problems), outside], [[], []]);
  for (const link of asked) {
    const { query, variables } = Object.fromEntries(new URL(link).searchParams);
    await ask(demo, query, JSON.parse(variables));
  }
  assert.ok(asked.size >= 9, `${asked.size} queries`);
});

test('an unknown address is the own 404, and earlier addresses lead on', async (t) => {
  const { page } = await start(t);
  const { redeem } = await story();
  const response = await page.goto(at('0x12'));
  assert.equal(response.status(), 404);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await accessible(page, '404');
  await page.getByRole('link', { name: 'See what happened lately' }).click();
  await loaded(page);
  assert.equal(page.url(), at(''));
  await visit(page, at('').replace('explore', `explore?address=${redeem.tokenAddress}&token=${redeem.tokenId}`));
  assert.equal(page.url(), at(`${redeem.tokenAddress}/${redeem.tokenId}`));
  await part(page, 'State').getByText('burned', { exact: true }).waitFor();
  await visit(page, at(`${redeem.tokenAddress}/987654321`));
  await page.getByText('There is no such token').waitFor();
});

test('a collection shows its tokens, and facets select some of them', async (t) => {
  const { page, problems } = await start(t);
  const { collection } = await story();
  const { collection: known } = await ask(demo, `query ($a: Address!) { collection(address: $a) {
    name tokens(first: 30) { totalItems data { tokenId state metadata { name } } }
    traits(first: 1) { data { traitType values(first: 1) { value tokens } } }
  } }`, { a: collection.address });
  await visit(page, at(collection.address));
  await page.getByRole('heading', { name: known.name, level: 1 }).waitFor();
  const shown = await cards(part(page, 'Tokens')).evaluateAll((list) =>
    list.map((card) => [card.querySelector('a').href.split('/').at(-1), card.querySelector('.card-name').textContent, card.classList.contains('burned')]));
  assert.deepEqual(shown, known.tokens.data.map(({ tokenId, state, metadata }) => [tokenId, metadata?.name ?? `#${tokenId}`, state === 'BURNED']));
  await drawn(cards(page).filter({ has: page.locator('img') }).first());
  const [trait] = known.traits.data;
  await page.locator('summary', { hasText: trait.traitType }).click();
  await page.getByRole('checkbox', { name: trait.values[0].value }).check();
  await part(page, 'Tokens with these traits').getByText(`of ${trait.values[0].tokens.toLocaleString('en')} token`).waitFor();
  const link = page.url();
  await page.getByRole('navigation', { name: 'Of the collection' }).getByRole('link', { name: /^mints/ }).click();
  await part(page, 'Mints').waitFor();
  await page.goBack();
  assert.equal(page.url(), link);
  await loaded(page);
  assert.ok(await page.getByRole('checkbox', { name: trait.values[0].value }).isChecked(), 'the link does not hold the chosen values');
  await visit(page, link);
  await part(page, 'Tokens with these traits').getByText(`of ${trait.values[0].tokens.toLocaleString('en')} token`).waitFor();
  assert.deepEqual(problems, []);
});

test('Back shows the loaded cards where they were, without a request', async (t) => {
  const { page, problems } = await start(t, { size: 'phone' });
  const { collection } = await story();
  await visit(page, at(`${collection.address}?tab=mints`));
  const list = cards(page);
  const before = await list.count();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.waitForFunction((count) => document.querySelectorAll('.card').length > count, before, { polling: 50 });
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.card')].indexOf(document.activeElement.closest('.card'))), before, 'the first new card has no focus');
  const count = await list.count();
  await list.nth(before).scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => scrollY);
  assert.ok(scrolled > 1000, `scrolled by ${scrolled} px`);
  await list.nth(before).getByRole('link').first().click();
  await part(page, 'History').waitFor();
  await loaded(page);
  assert.equal(await page.evaluate(() => scrollY), 0);
  const requests = [];
  page.on('request', (request) => !request.url().startsWith('data:') && requests.push(request.url()));
  await page.goBack();
  await part(page, 'Mints').waitFor();
  assert.equal(await list.count(), count);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  await page.goForward();
  await part(page, 'History').waitFor();
  assert.deepEqual(requests, []);
  assert.deepEqual(problems, []);
});
