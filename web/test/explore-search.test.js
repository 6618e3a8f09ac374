// Tests the search box of Explore in Chromium, with the demo at MINTBURN_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, loaded, start, visit } from './explore.js';

const demo = process.env.MINTBURN_URL;
assert.ok(demo, 'set MINTBURN_URL');

test('the search box finds what a text names, by keyboard', async (t) => {
  const { page, problems } = await start(t);
  const { burns, collections } = await ask(demo, `{
    burns(order: DESC, first: 1) { data { tokenAddress tokenId transactionHash blockNumber blockHash from } }
    collections(first: 100) { data { address name } }
  }`);
  const [{ tokenAddress, tokenId, transactionHash, blockNumber, blockHash, from }] = burns.data;
  const named = collections.data.find(({ name }) => name);
  await visit(page, new URL('explore', demo).href);
  const box = page.getByRole('combobox', { name: 'Search' });
  const finds = page.getByRole('listbox', { name: 'Finds' }).getByRole('option');
  for (const [text, recognised, option, path] of [
    [` ${tokenAddress.toUpperCase().replace('0X', '0x')} `, 'An address', /ERC-/, tokenAddress],
    [from, 'An address', /^Account/, `account/${from}`],
    [transactionHash, 'A hash', /^Transaction/, `tx/${transactionHash}`],
    [blockHash, 'A hash', /^Block/, `block/${blockNumber}`],
    [blockNumber.toLocaleString('en'), 'A block', /^Block/, `block/${blockNumber}`],
    [`${tokenAddress}/${tokenId}`, 'A token', /^Token/, `${tokenAddress}/${tokenId}`],
    [named.name.slice(0, -1).toUpperCase(), 'A name', new RegExp(`^${named.name}`), named.address],
  ]) {
    await page.keyboard.press('/');
    assert.ok(await box.evaluate((input) => input === document.activeElement), 'the key / does not reach the box');
    await page.keyboard.insertText(text);
    await page.getByRole('status').filter({ hasText: recognised }).waitFor();
    await finds.filter({ hasText: option }).first().waitFor();
    const options = await finds.allTextContents();
    const chosen = options.findIndex((each) => option.test(each));
    for (let i = 0; i < chosen; i++) await page.keyboard.press('ArrowDown');
    if (recognised === 'An address') await accessible(page, 'finds');
    await page.keyboard.press('Enter');
    await page.waitForURL(new URL(`explore/${path}`, demo).href);
    await loaded(page);
  }
  await page.keyboard.press('/');
  await page.keyboard.insertText(`0x${'9'.repeat(64)}`);
  await page.getByText('nothing of it is indexed').waitFor();
  await page.keyboard.press('Enter');
  assert.deepEqual(problems, []);
});
