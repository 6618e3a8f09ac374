// Tests the search box of Explore in Chromium, with the demo at MINTBURN_URL.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessible, ask, loaded, start, visit } from './explore.js';

const demo = process.env.MINTBURN_URL;
assert.ok(demo, 'set MINTBURN_URL');

test('the search box finds what a text names, by keyboard', async (t) => {
  const { page, problems } = await start(t);
  const { burns, collections, chain } = await ask(demo, `{
    burns(order: DESC, first: 1) { data { tokenAddress tokenId transactionHash blockNumber blockHash from } }
    collections(first: 100) { data { address name } }
    chain { head { number } }
  }`);
  const { collections: sparks } = await ask(demo, '{ collections(search: "sparks") { data { tokens(first: 20) { data { address tokenId metadata { name } } } } } }');
  const { tokens } = sparks.data[0];
  const [{ tokenAddress, tokenId, transactionHash, blockNumber, blockHash, from }] = burns.data;
  const named = collections.data.find(({ name }) => name?.includes(' '));
  await visit(page, new URL('explore', demo).href);
  const box = page.getByRole('combobox', { name: 'Search' });
  const finds = page.getByRole('listbox', { name: 'Results' }).getByRole('option');
  const titled = tokens.data.find(({ metadata, tokenId }) => metadata?.name === `Spark #${tokenId}`);
  for (const [text, option, path] of [
    [` ${tokenAddress.toUpperCase().replace('0X', '0x')} `, /ERC-/, tokenAddress],
    [from.slice(2), /^Account/, `account/${from}`],
    [transactionHash, /^Transaction/, `tx/${transactionHash}`],
    [blockHash, /^Block/, `block/${blockNumber}`],
    [blockNumber.toLocaleString('en'), /^Block/, `block/${blockNumber}`],
    ['latest', /^Latest block/, `block/${chain.head.number}`],
    [`${tokenAddress}/${tokenId}`, new RegExp(`token #${tokenId} of `), `${tokenAddress}/${tokenId}`],
    [`https://explorer.example/token/${tokenAddress}?a=${tokenId}`, new RegExp(`token #${tokenId} of `), `${tokenAddress}/${tokenId}`],
    [titled.metadata.name, new RegExp(`^${titled.metadata.name}`), `${titled.address}/${titled.tokenId}`],
    [named.name.slice(0, -1).toUpperCase(), new RegExp(`^${named.name}`), named.address],
    [named.name.split(' ').at(-1), new RegExp(`^${named.name}`), named.address],
  ]) {
    await page.keyboard.press('/');
    assert.ok(await box.evaluate((input) => input === document.activeElement), 'the key / does not reach the box');
    await page.keyboard.insertText(text);
    await page.getByRole('status').filter({ hasText: /\d results?/ }).waitFor();
    await finds.filter({ hasText: option }).first().waitFor();
    const options = await finds.allTextContents();
    const chosen = options.findIndex((each) => option.test(each));
    for (let i = 0; i < chosen; i++) await page.keyboard.press('ArrowDown');
    if (path === tokenAddress) await accessible(page, 'finds');
    await page.keyboard.press('Enter');
    await page.waitForURL(new URL(`explore/${path}`, demo).href);
    await loaded(page);
  }
  for (const [text, said] of [['0x12ab', 'An address has 40 hex digits and a hash 64; this has 4.'], ['no such name', 'No collection of that name is indexed.'], [`${tokenAddress}/${'9'.repeat(30)}`, 'No token with this id is indexed.']]) {
    await page.keyboard.press('/');
    await page.keyboard.insertText(text);
    await page.getByText(said).waitFor();
    await page.keyboard.press('Escape');
    await box.evaluate((input) => input.blur());
  }
  await page.keyboard.press('/');
  await page.keyboard.insertText(`0x${'9'.repeat(64)}`);
  await page.getByText('No transaction or block with this hash').waitFor();
  await page.keyboard.press('Enter');
  assert.deepEqual(problems, []);
});
