// Tests the ways to a token in Chromium, with the demo at MINTBURN_URL: by its title, by its id, among the burned ones, and
// by a link that was copied. At two sizes, in both themes, by clicks and by keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startBrowser } from './browser.js';
import { accessible, ask, cards, loaded, noSideways, part, start, tabTo, unexpected } from './explore.js';

const { MINTBURN_URL: demo } = process.env;
assert.ok(demo, 'set MINTBURN_URL');

// spark returns a burned token of the demo with a title that has its id.
async function spark() {
  const { burns } = await ask(demo, '{ burns(order: DESC, first: 500) { data { tokenAddress tokenId from contractType metadata { name } } } }');
  return burns.data.find(({ contractType, tokenId, metadata }) => contractType === 'ERC721' && metadata?.name === `Spark #${tokenId}`);
}

for (const [size, colorScheme, how] of [['wide', 'light', 'keys'], ['wide', 'dark', 'clicks'], ['phone', 'light', 'clicks'], ['phone', 'dark', 'keys']]) {
  test(`a token is found by title, by id, among burned ones and by a link, ${size}, ${colorScheme}, by ${how}`, async (t) => {
    const { page, problems, outside, shoot } = await start(t, { size, colorScheme });
    const { tokenAddress, tokenId, from, metadata } = await spark();
    const follow = async (link, text) => {
      if (how === 'clicks') return link.click();
      await tabTo(page, text);
      await page.keyboard.press('Enter');
    };
    const checked = async (name) => {
      await loaded(page);
      await noSideways(page);
      await accessible(page, name);
      await shoot(`find-${name}-${colorScheme}`);
    };
    await page.goto(demo);
    await page.getByRole('link', { name: 'Explore', exact: true }).click();
    await loaded(page);
    await page.keyboard.press('/');
    await page.keyboard.insertText(metadata.name.toUpperCase());
    const find = page.getByRole('option', { name: metadata.name });
    await find.waitFor();
    if (how === 'clicks') await find.click();
    else await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: metadata.name, level: 1 }).waitFor();
    await checked('token');
    const story = page.locator('.heading p', { hasText: /^Burned by 0x.+ in transaction 0x.+, block [\d,]+ ✓ proved against header$/ });
    await story.waitFor();
    assert.equal(await story.getByRole('link').first().getAttribute('title'), from);
    const box = await story.boundingBox();
    assert.ok(box.y + box.height <= page.viewportSize().height, `the story ends at ${box.y + box.height} px`);
    await page.getByRole('img', { name: metadata.name }).first().waitFor();

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await follow(page.getByRole('button', { name: 'Copy link' }), 'Copy link');
    await page.getByRole('button', { name: 'Copied link' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, new URL(`explore/${tokenAddress}/${tokenId}`, demo).href);
    // A busy server omits what a page is about.
    let html = '';
    for (let tries = 0; tries < 100 && !html.includes('og:title'); tries++) html = await (await fetch(link)).text();
    assert.ok(html.includes(`<meta property="og:title" content="${metadata.name}">`) && html.includes('It is burned.'), html.slice(0, 800));
    const fresh = await startBrowser();
    t.after(fresh.close);
    const other = await fresh.context.newPage();
    await other.goto(link);
    await other.getByRole('heading', { name: metadata.name, level: 1 }).waitFor();

    await follow(page.getByRole('link', { name: 'Sparks' }).first(), 'Sparks');
    await page.getByRole('heading', { name: 'Sparks', level: 1 }).waitFor();
    await loaded(page);
    const id = page.getByRole('textbox', { name: 'Id', exact: true });
    await id.fill('99999');
    await id.press('Enter');
    await page.getByText('This collection has no token 99999.').waitFor();
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('burned');
    await loaded(page);
    await checked('burned');
    assert.match(page.url(), /show=burned/);
    const shown = cards(part(page, 'Tokens'));
    assert.ok((await shown.count()) > 10);
    assert.equal(await shown.count(), await shown.filter({ hasText: 'burned' }).count());
    await page.getByRole('combobox', { name: /^Order/ }).selectOption('oldest');
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('existing');
    await loaded(page);
    assert.equal(await shown.filter({ hasText: 'burned' }).count(), 0);
    await id.fill(`#${tokenId}`);
    await id.press('Enter');
    await page.getByRole('heading', { name: metadata.name, level: 1 }).waitFor();
    await page.goBack();
    await loaded(page);
    assert.match(page.url(), /order=oldest/);
    assert.deepEqual([unexpected(problems), outside], [[], []]);
  });
}
