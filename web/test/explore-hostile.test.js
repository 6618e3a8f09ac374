// Tests Explore in Chromium with a database with holes and with documents that try to break out, at
// HOSTILE_URL, whose gateway is at GATEWAY_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, cards, drawn, loaded, noSideways, part, SIZES, start, unexpected, visit } from './explore.js';

const { HOSTILE_URL: hostile, HOSTILE_COLLECTION: collection, HOSTILE_TOKENS: list, GATEWAY_URL: gateway } = process.env;
assert.ok(hostile && collection && list && gateway, 'set HOSTILE_URL, HOSTILE_COLLECTION, HOSTILE_TOKENS and GATEWAY_URL');
const tokens = list.split(',');
const at = (path) => new URL(`explore/${path}`, hostile).href;

// harmless fails if a hostile text became a link, an element or a script.
async function harmless(page) {
  assert.ok(!(await page.title()).startsWith('attacked'));
  const links = await page.locator('a').evaluateAll((all) => all.map(({ href, target, rel }) => ({ href, target, rel })));
  for (const { href, target, rel } of links) {
    if (new URL(href).origin === new URL(hostile).origin) continue;
    assert.match(href, /^https:\/\/(documents|site|images)\.example\//);
    assert.equal(target, '_blank');
    assert.ok(rel.includes('noopener') && rel.includes('noreferrer'), rel);
  }
  assert.equal(await page.evaluate(() => document.querySelectorAll('main :is(script, iframe, object, embed, b, i, image, [onclick], [onerror], [onload])').length), 0);
  for (const source of await page.locator('main img').evaluateAll((all) => all.map(({ src }) => src))) assert.doesNotMatch(source, /^data:text|javascript/i);
  const text = await page.locator('main').innerText();
  assert.doesNotMatch(text, /[\u202A-\u202E\u2066-\u2069]/u);
  assert.ok(text.length < 30_000, `${text.length} characters`);
}

test('documents, names, traits and contracts cannot attack the page', async (t) => {
  const { page, problems, outside, shoot } = await start(t);
  page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
  const inEachSize = async (name) => {
    await harmless(page);
    for (const size of ['narrow', 'wide']) {
      await page.setViewportSize(SIZES[size]);
      await noSideways(page);
      await shoot(`hostile-${name}`);
    }
  };
  await visit(page, at(`${collection}?tab=mints`));
  await drawn(cards(page).filter({ hasText: 'Drawing' }));
  await cards(page).filter({ hasText: '<img src=x onerror=' }).waitFor();
  await page.getByRole('heading', { level: 1, name: '<i onclick=' }).waitFor();
  const heights = await cards(page).evaluateAll((all) => all.map((card) => card.getBoundingClientRect().height));
  assert.ok(Math.max(...heights) < 1.5 * Math.min(...heights), `a card stands out: ${heights}`);
  await inEachSize('collection');
  await visit(page, at(collection));
  await page.locator('summary', { hasText: '<b onclick=' }).click();
  await part(page, 'Traits').getByText('</script><script>').waitFor();
  await inEachSize('facets');
  for (const token of tokens.slice(0, 5)) {
    await visit(page, at(`${collection}/${token}`));
    await page.locator('#versions summary').first().click();
    await inEachSize(token);
  }
  await accessible(page, 'token');
  const { mints } = await ask(hostile, 'query ($a: Address!, $t: BigInt!) { mints(address: $a, tokenId: $t, partial: true) { data { transactionHash blockNumber to } } }', { a: collection, t: tokens[0] });
  const [{ transactionHash, blockNumber, to }] = mints.data;
  for (const path of [`tx/${transactionHash}`, `block/${blockNumber}`, `account/${to}`]) {
    await visit(page, at(path));
    await page.getByText('<img src=x onerror=').first().waitFor();
    await inEachSize(path.split('/')[0]);
  }
  await page.keyboard.press('/');
  await page.keyboard.insertText(collection);
  await page.getByRole('option', { name: '<i onclick=' }).waitFor();
  await inEachSize('search');
  // The content security policy must also hold without the page's own escaping.
  assert.deepEqual([problems, outside], [[], []]);
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<b>x</b>';
    } catch (error) {
      return error.name;
    }
    return 'nothing';
  });
  assert.equal(refused, 'TypeError', 'Trusted Types let a text become HTML');
});

test('images from other hosts are loaded only with the consent of the viewer', async (t) => {
  const { page, problems, outside, shoot } = await start(t);
  const requested = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(hostile) && !request.url().startsWith('data:')) requested.push(request.url());
  });
  const gallery = at(`${collection}?tab=mints`);
  // A link from another site brings the URL, but not the viewer's consent.
  for (const address of [gallery, `${gallery}&images=all`, at(`${collection}/${tokens[3]}?images=all`)]) {
    await visit(page, address);
    await page.getByRole('button', { name: 'Load them' }).first().waitFor();
    assert.equal(await page.locator('img:not([src^="data:"])').count(), 0);
  }
  assert.deepEqual(requested, []);
  assert.deepEqual(problems, []);

  await visit(page, gallery);
  await part(page, 'Mints').getByText('3 images from other hosts not loaded').waitFor();
  await part(page, 'Mints').getByRole('button', { name: 'Load them' }).click();
  await part(page, 'Mints').getByRole('button', { name: 'Hide them' }).waitFor();
  await drawn(cards(page).filter({ hasText: 'On IPFS' }));
  await drawn(cards(page).filter({ hasText: 'At Arweave' }));
  await cards(page).filter({ hasText: 'Hosted' }).getByText('image not available').waitFor();
  const allowed = ['https://contract.example/1.png', 'https://images.example/153.png'];
  assert.deepEqual([...new Set(outside)].sort(), allowed);
  assert.deepEqual([...new Set(requested.filter((url) => !url.startsWith(gateway)))].sort(), allowed, 'a request for a host that documents may not name');
  await shoot('images');

  await cards(page).filter({ hasText: 'On IPFS' }).getByRole('link').first().click();
  await loaded(page);
  assert.match(page.url(), /images=all/);
  await drawn(page.locator('.heading'));
  await page.getByRole('button', { name: 'Hide them' }).click();
  await page.getByRole('button', { name: 'Load them' }).waitFor();
  assert.equal(await page.locator('img').count(), 0);
});

test('what may be in blocks that are not indexed is unknown', async (t) => {
  const { page, problems } = await start(t);
  for (const [path, text] of [
    ['block/120', 'this block is not indexed'],
    [`tx/0x${'12'.repeat(32)}`, 'may be in a block that is not indexed'],
    [`${collection}/123456789`, 'may be in blocks that are not indexed'],
    [`0x${'ab'.repeat(20)}`, 'may be in blocks that are not indexed'],
  ]) {
    await visit(page, at(path));
    await page.getByText(text).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await accessible(page, path);
  }
  await visit(page, at('block/139'));
  await page.getByRole('link', { name: /^→/ }).click();
  await part(page, 'Mints and burns').getByRole('listitem').first().waitFor();
  await page.getByRole('link', { name: /^←/ }).click();
  await page.waitForURL(/block\/\d{1,2}$/);
  assert.deepEqual(unexpected(problems), []);
});

test('an error of the server is shown, and asked again', async (t) => {
  const { page } = await start(t);
  const { mints } = await ask(hostile, '{ mints(order: DESC, partial: true, first: 1) { data { blockNumber } } }');
  let fails = true;
  await page.route('**/graphql', (route) => (fails ? route.fulfill({ status: 503, body: 'out of order' }) : route.continue()));
  await page.goto(at(`block/${mints.data[0].blockNumber}`));
  await page.getByText('HTTP 503: out of order').waitFor();
  fails = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await part(page, 'Mints and burns').getByText(/\d mint/).waitFor();
});

test('a server that is gone is said once, and what was not loaded comes when it is back', async (t) => {
  const { page } = await start(t);
  let gone = true;
  await page.route('**/graphql', (route) => (gone ? route.abort() : route.continue()));
  await page.goto(at(`${collection}/${tokens[0]}`));
  await page.getByText('The server does not answer.').waitFor();
  assert.equal(await page.getByRole('alert').count(), 1);
  await accessible(page, 'gone');
  gone = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await part(page, 'History').getByText('Minted').first().waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('an amount of 2^255 fits, and its whole number can be copied', async (t) => {
  const { page, problems } = await start(t, { size: 'narrow' });
  const amount = String(2n ** 255n);
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/"(minted|supply|amount)":(null|"\d+")/g, `"$1":"${amount}"`);
    await route.fulfill({ response, body });
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit(page, at(`${collection}/${tokens[3]}`));
  await noSideways(page);
  const supply = part(page, 'State').locator('.tile', { hasText: 'Supply' });
  const whole = await supply.getByText('≈ 5.79 × 10^76').getAttribute('title');
  assert.equal(whole.replaceAll(',', ''), amount);
  await supply.getByRole('button', { name: 'Copy the whole number' }).click();
  await supply.getByText('copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), amount);
  await part(page, 'History').getByText('Minted × ≈ 5.79 × 10^76').first().waitFor();
  await accessible(page, 'amount');
  await visit(page, at(`${collection}?tab=mints`));
  await noSideways(page);
  assert.deepEqual(problems, []);
});
