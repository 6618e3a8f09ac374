// Tests the chart of mints and burns in Chromium: with the demo at MINTBURN_URL, and with a database with holes at
// HOSTILE_URL.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { startOf, STEPS } from '../src/explore/intervals.js';
import { countOf } from '../src/explore/texts.js';
import { accessible, ask, loaded, part, start, visit } from './explore.js';

const { MINTBURN_URL: demo, HOSTILE_URL: hostile } = process.env;
assert.ok(demo && hostile, 'set MINTBURN_URL and HOSTILE_URL');

// timesOf returns the times of the mints or burns of a collection, or of all.
async function timesOf(field, address) {
  const query = `query ($a: Address, $after: Cursor) { list: ${field}(address: $a, partial: true, first: 1000, after: $after) { cursor data { blockTime } } }`;
  const times = [];
  for (let after; after !== null; ) {
    const { list } = await ask(hostile, query, { a: address, after });
    times.push(...list.data.map(({ blockTime }) => blockTime));
    after = list.cursor;
  }
  return times;
}

// oldest is the address of the first collection, which has mints on both sides of each hole.
const oldest = async () => (await ask(hostile, '{ collections(order: ASC, partial: true, first: 1) { data { address } } }')).collections.data[0].address;

// MISSING are the times of the blocks that the database lacks.
const MISSING = [...Array.from({ length: 40 }, (_, i) => 100 + i), 250].map((number) => 1_700_000_000 + number * 6 * 3600);

// csvOf returns the rows of the CSV of the chart that is shown, as objects.
async function csvOf(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const [names, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\n').map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], names[i] === 'complete' ? cell === 'true' : names[i].length > 4 ? Number(cell) : Date.parse(cell) / 1000])));
}

const numbersOf = (page) =>
  part(page, 'Mints and burns').locator('tbody tr').evaluateAll((list) => list.map((row) => [...row.children].map(({ textContent }) => textContent)));

test('the chart equals the records, in each interval, and marks holes', async (t) => {
  const { page, problems } = await start(t);
  for (const address of [null, await oldest()]) {
    const times = [await timesOf('mints', address), await timesOf('burns', address)];
    const path = address ? `explore/${address}?tab=activity` : 'explore?';
    await visit(page, new URL(path, hostile).href);
    const options = await page.getByLabel('Bars of').locator('option').evaluateAll((list) => list.map(({ value }) => value));
    assert.ok(options.length > 2, options.join());
    for (const name of options) {
      await page.getByLabel('Bars of').selectOption(name);
      await loaded(page);
      const step = STEPS.find((each) => each.name === name);
      const bars = await csvOf(page);
      if (name === options[0]) assert.ok(bars.length >= 20 && bars.length <= 60, `${bars.length} bars`);
      assert.equal(bars[0].from, Math.min(...times.flat()));
      assert.ok(bars.at(-1).to >= Math.max(...times.flat()), 'the bars do not reach to the last record');
      let supply = 0;
      bars.forEach(({ from, to, ...bar }, i) => {
        const within = (time) => from <= time && time <= to;
        const [minted, burned] = times.map((list) => list.filter(within).length);
        supply += minted - burned;
        assert.deepEqual([from, to], [i === 0 ? from : startOf(step, bars[0].from, i), startOf(step, bars[0].from, i + 1) - 1]);
        assert.deepEqual(bar, { mints: minted, burns: burned, supply, complete: bar.complete });
        if (MISSING.some(within)) assert.ok(!bar.complete, `the hole between ${from} and ${to} is not marked`);
        // A block is missing 6 hours before and after a neighbour.
        else if (!MISSING.some((time) => from - 21_600 <= time && time <= to + 21_600)) assert.ok(bar.complete, `there is no hole between ${from} and ${to}`);
      });
      const rows = await numbersOf(page);
      assert.deepEqual(rows.map(([, minted, burned, , note]) => [Number(minted), Number(burned), note === '']), bars.map((bar) => [bar.mints, bar.burns, bar.complete]));
      assert.equal(await part(page, 'Mints and burns').getByText('blocks that are not indexed').count(), 1);
    }
  }
  assert.deepEqual(problems, []);
});

// shows waits until the canvas has the pixels that want accepts: numbers of those in the colours of the key, and the longest
// run of hatched columns, which have many semi-transparent pixels; the edge of a bar is one such column. A canvas is drawn
// after its page.
async function shows(page, want) {
  let found;
  for (let frame = 0; frame < 200; frame++) {
    found = await page.locator('#activity canvas').evaluate((canvas) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const counts = { hatched: 0 };
      for (const name of ['mints', 'burns', 'supply']) {
        const [r, g, b] = getComputedStyle(document.querySelector(`.of-${name}`)).color.match(/\d+/g).map(Number);
        counts[name] = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) counts[name]++;
      }
      for (let x = 60, run = 0; x < width; x++) {
        let points = 0;
        for (let y = 0; y < 0.8 * height; y++) if (data[4 * (y * width + x) + 3] > 20 && data[4 * (y * width + x) + 3] < 235) points++;
        run = points >= 12 ? run + 1 : 0;
        counts.hatched = Math.max(counts.hatched, run);
      }
      return new Promise((resolve) => requestAnimationFrame(() => resolve(counts)));
    });
    if (want(found)) return;
  }
  assert.fail(JSON.stringify(found));
}

test('the canvas shows mints, burns and holes, and by switch the supply, in both themes', async (t) => {
  const { page, problems, shoot } = await start(t);
  await visit(page, new URL(`explore/${await oldest()}?tab=activity`, hostile).href);
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    await shows(page, ({ mints, burns, hatched, supply }) => mints > 100 && burns > 20 && hatched >= 8 && supply === 0);
  }
  for (const name of ['Burns on their own axis', 'Supply']) await page.getByLabel(name).check();
  assert.match(page.url(), /burns=own.*supply=shown/);
  await shows(page, ({ mints, burns, supply }) => mints > 100 && burns > 20 && supply > 50);
  await accessible(page, 'chart');
  await shoot('chart');
  // A link shows the same.
  await visit(page, page.url());
  for (const name of ['Burns on their own axis', 'Supply']) assert.ok(await page.getByLabel(name).isChecked());
  await visit(page, new URL(`explore`, demo).href);
  assert.equal(await page.locator('.of-unknown').count(), 0);
  await shows(page, ({ mints, hatched }) => mints > 100 && hatched < 4);
  assert.deepEqual(problems, []);
});

test('a brush zooms by pointer and by keys, and a link shows the same range', async (t) => {
  const { page, problems } = await start(t);
  await visit(page, new URL('explore', hostile).href);
  const all = await csvOf(page);
  const frame = page.locator('#activity .chart');
  const button = (name) => page.getByRole('button', { name, exact: true });
  const [, whole] = [await frame.scrollIntoViewIfNeeded(), await frame.boundingBox()];

  await page.mouse.move(whole.x + whole.width * 0.3, whole.y + 80);
  await page.mouse.down();
  await page.mouse.move(whole.x + whole.width * 0.6, whole.y + 90, { steps: 4 });
  const picked = await page.locator('#activity .chart + [role=status]').textContent();
  await page.mouse.up();
  await page.waitForURL(/range=/);
  await loaded(page);
  const inside = await csvOf(page);
  const [from, to] = new URL(page.url()).searchParams.get('range').split('-').map(Number);
  const chosen = all.filter((bar) => bar.from >= from && bar.to <= to);
  assert.ok(chosen.length > 3 && chosen.length < all.length && chosen[0].from === from && chosen.at(-1).to === to, `${from} to ${to}`);
  const sum = (bars, name) => bars.reduce((total, bar) => total + bar[name], 0);
  assert.ok(picked.endsWith(`: ${countOf(sum(chosen, 'mints'), 'mint')}, ${countOf(sum(chosen, 'burns'), 'burn')}`), picked);
  assert.deepEqual([sum(inside, 'mints'), sum(inside, 'burns'), inside.at(-1).supply], [sum(chosen, 'mints'), sum(chosen, 'burns'), chosen.at(-1).supply]);
  assert.ok(inside.length > chosen.length && inside.length <= 60, 'the bars are not shorter');

  await visit(page, page.url());
  assert.deepEqual(await csvOf(page), inside);

  await frame.focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL((url) => !url.href.includes(`range=${from}-${to}`));
  await loaded(page);
  assert.equal(new URL(page.url()).searchParams.get('range'), `${inside.at(-4).from}-${inside.at(-2).to}`);

  const zoomed = (await csvOf(page)).at(0).from;
  await button('Earlier').click();
  await loaded(page);
  const before = await csvOf(page);
  assert.equal(before.at(-1).to, zoomed - 1);
  await button('Later').click();
  await loaded(page);
  assert.equal((await csvOf(page))[0].from, zoomed);
  await button('Zoom out').click();
  await loaded(page);
  const wider = await csvOf(page);
  assert.ok(wider[0].from < zoomed && wider.at(-1).to > zoomed);
  await button('Reset').click();
  await loaded(page);
  assert.deepEqual(await csvOf(page), all);
  assert.ok(!page.url().includes('range'));
  assert.equal(await button('Zoom out').count(), 0);
  assert.deepEqual(problems, []);
});

test('the picture of the chart is a PNG of its size', async (t) => {
  const { page } = await start(t);
  await visit(page, new URL('explore', demo).href);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()]);
  const bytes = await readFile(await download.path());
  assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  const width = await page.locator('#activity canvas').evaluate((canvas) => canvas.width);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.length > 3_000], [width, true]);
  assert.match(download.suggestedFilename(), /^mints-and-burns-all-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.png$/);
});
