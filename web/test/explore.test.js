// Tests Explore in Chromium: with the demo at MINTBURN_URL, and with a database with holes
// and hostile documents at HOSTILE_URL, whose gateway is at GATEWAY_URL.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startBrowser, watch } from './browser.js';

const { MINTBURN_URL: demo, HOSTILE_URL: hostile, HOSTILE_COLLECTION: collection, GATEWAY_URL: gateway } = process.env;
const screenshots = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'screenshots');

const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

// start opens a page in a new browser context.
async function start(t, { colorScheme = 'light', size = 'wide' } = {}) {
  assert.ok(demo && hostile && collection && gateway, 'set MINTBURN_URL, HOSTILE_URL, HOSTILE_COLLECTION and GATEWAY_URL');
  await mkdir(screenshots, { recursive: true });
  const { context, outside, close } = await startBrowser();
  t.after(close);
  const page = await context.newPage();
  await page.setViewportSize(SIZES[size]);
  await page.emulateMedia({ colorScheme });
  const problems = watch(page);
  const shoot = (name) => page.screenshot({ path: path.join(screenshots, `explore-${name}-${page.viewportSize().width}.png`), fullPage: true });
  return { page, problems, outside, shoot };
}

// visit opens a page of Explore and waits until all its sections are loaded.
async function visit(page, address) {
  await page.goto(address);
  await loaded(page);
}

async function loaded(page) {
  await page.locator('.explore section').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.explore [aria-busy]'), null, { polling: 100 });
}

// part returns the section with exactly this title.
const part = (page, name) => page.getByRole('region', { name, exact: true });
const cards = (page) => part(page, 'Newest mints').getByRole('listitem');

async function ask(server, query, variables) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL('graphql', server), { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

// noSideways fails if a page stays wider than its window. It polls, because a chart adapts
// to a new size with a delay.
async function noSideways(page) {
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { polling: 100 }).catch(async ({ message }) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.fail(`the page is ${width} px wide in a window of ${page.viewportSize().width}: ${message}`);
  });
}

// drawn waits until an image is drawn.
async function drawn(locator) {
  const image = locator.locator('img');
  await image.scrollIntoViewIfNeeded();
  const handle = await image.elementHandle();
  await locator.page().waitForFunction((element) => element.complete && element.naturalWidth > 0, handle, { polling: 100 });
}

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

// contrast returns the contrast ratio of a text and its background, by WCAG 2.
const contrast = (locator) =>
  locator.evaluate((element) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const light = (color) => {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let below = element;
    while (/^rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(below).backgroundColor)) below = below.parentElement;
    const [text, ground] = [light(getComputedStyle(element).color), light(getComputedStyle(below).backgroundColor)];
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
  });

for (const size of ['wide', 'phone']) {
  test(`shows the chain, a collection and a token, ${size}`, async (t) => {
    const { page, problems, outside, shoot } = await start(t, { size });
    const { chain, mints } = await ask(demo, '{ chain { head { number } } mints(order: DESC, first: 24) { totalItems data { tokenAddress tokenId metadata { name } } } }');

    await visit(page, new URL('explore', demo).href);
    const state = part(page, 'Chain');
    await state.getByText(`${chain.head.number + 1} blocks, no holes`).waitFor();
    for (const kind of ['indexed', 'verified']) {
      const [bar, whole] = await state.locator(`rect.${kind}`).evaluate((rect) => [rect, rect.ownerSVGElement].map((e) => e.getBoundingClientRect().width));
      assert.ok(whole > 300 && Math.abs(bar - whole) < 1, `${kind}: ${bar} of ${whole} px`);
    }
    const { collections } = await ask(demo, '{ collections(first: 6) { totalItems data { address mints(first: 0) { totalItems } } } }');
    const newest = await part(page, 'Newest collections').getByRole('listitem').evaluateAll((list) =>
      list.map((card) => [new URL(card.querySelector('a').href).searchParams.get('address'), parseInt(card.querySelector('p').textContent.replace(',', ''), 10)]),
    );
    assert.deepEqual(newest, collections.data.map(({ address, mints: { totalItems } }) => [address, totalItems]));
    await part(page, 'Newest collections').getByText(`6 of ${collections.totalItems} collections`).waitFor();
    assert.equal(await cards(page).count(), 24);
    const names = await cards(page).locator('.card-name').allTextContents();
    assert.deepEqual(names, mints.data.map(({ tokenId, metadata }) => metadata?.name ?? `#${tokenId}`));
    await part(page, 'Newest mints').getByText(`24 of ${mints.totalItems.toLocaleString('en')} mints`).waitFor();
    await drawn(cards(page).filter({ has: page.locator('img') }).first());
    const grounds = new Set();
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      grounds.add(await ground(page));
      for (const text of ['h1', 'h2', '.tile dt', '.tile dd', '.card p', '.card-name', '.query', '.axis', 'summary', 'label', '.search button', '.page-header nav a >> nth=1']) {
        const found = await contrast(page.locator(text).first());
        assert.ok(found >= 4.5, `contrast of ${text} is ${found.toFixed(2)} on ${colorScheme}`);
      }
      await shoot(`chain-${colorScheme}`);
    }
    assert.equal(grounds.size, 2);
    await noSideways(page);

    const drawnCard = cards(page).filter({ has: page.locator('img') }).first();
    await drawnCard.getByRole('link', { name: '0x' }).click();
    await page.getByRole('heading', { name: /^Collection 0x/ }).waitFor();
    await loaded(page);
    await part(page, 'Totals').getByText('ERC-1155').waitFor();
    await noSideways(page);
    await shoot('collection');

    const name = await cards(page).locator('.card-name').first().textContent();
    await cards(page).first().getByRole('link').first().click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await loaded(page);
    await drawn(part(page, 'Token'));
    const address = new URL(page.url()).searchParams;
    const token = await ask(demo, 'query ($a: Address!, $t: BigInt!) { mints(address: $a, tokenId: $t) { totalItems } burns(address: $a, tokenId: $t) { totalItems } }', {
      a: address.get('address'),
      t: address.get('token'),
    });
    const records = token.mints.totalItems + token.burns.totalItems;
    const known = await ask(demo, 'query ($a: Address!, $t: BigInt!) { token(address: $a, tokenId: $t) { state supply } }', {
      a: address.get('address'),
      t: address.get('token'),
    });
    assert.match(await part(page, 'Token').locator('.tiles').textContent(), new RegExp(`State${known.token.state.toLowerCase()}.*Supply${Number(known.token.supply).toLocaleString('en')}$`));
    await showAll(page);
    assert.equal(await part(page, 'History').getByRole('listitem').count(), records);
    await noSideways(page);
    await shoot('token');

    assert.deepEqual(problems, []);
    assert.deepEqual(outside, []);
  });
}

// showAll presses "Show older" in a token's history until the button is gone.
async function showAll(page) {
  const older = part(page, 'History').getByRole('button', { name: 'Show older' });
  const entries = part(page, 'History').getByRole('listitem');
  while ((await older.count()) > 0) {
    const before = await entries.count();
    await older.click();
    await page.waitForFunction((count) => document.querySelectorAll('.history li').length > count, before, { polling: 100 });
  }
}

test('the keyboard reaches everything', async (t) => {
  const { page, problems } = await start(t);
  await visit(page, new URL('explore', demo).href);
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.name);
  const tabTo = async (text) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      if ((await focused()).startsWith(text)) {
        const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.equal(outline, 'solid', `the focus on ${text} cannot be seen`);
        return;
      }
    }
    assert.fail(`no ${text}`);
  };
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  await tabTo('address');
  const { mints } = await ask(demo, '{ mints(order: DESC, first: 1) { data { tokenAddress tokenId } } }');
  const [{ tokenAddress }] = mints.data;
  await page.keyboard.type(tokenAddress);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Collection 0x/ }).waitFor();
  await loaded(page);
  await part(page, 'Newest mints').getByRole('button', { name: 'Show more' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.card').length > 24, null, { polling: 100 });
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.card')].indexOf(document.activeElement.closest('.card'))), 24);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'History' }).waitFor();
  await loaded(page);
  await page.keyboard.press('Tab');
  await tabTo('Open query');
  await page.keyboard.press('Enter');
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  assert.deepEqual(problems, []);
});

// withoutAborted drops the requests of GraphiQL's workers that end when the page is left.
const withoutAborted = (problems) => problems.filter((problem) => !problem.endsWith('net::ERR_ABORTED'));

// modelText returns the content of a GraphiQL editor.
const modelText = (page, file) =>
  page.evaluate((name) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(name))?.getValue(), file);

test('each section opens its query in GraphiQL, where it runs', async (t) => {
  const { page, problems } = await start(t);
  const { mints } = await ask(demo, '{ mints(order: DESC, first: 1) { data { tokenAddress tokenId } } }');
  const [{ tokenAddress, tokenId }] = mints.data;
  const links = [];
  for (const address of ['explore', `explore?address=${tokenAddress}`, `explore?address=${tokenAddress}&token=${tokenId}`]) {
    await visit(page, new URL(address, demo).href);
    const found = await page.locator('a.query').evaluateAll((list) => list.map(({ href }) => href));
    assert.equal(found.length, await page.locator('.explore section').count());
    for (const link of found) {
      const { query, variables } = Object.fromEntries(new URL(link).searchParams);
      await ask(demo, query, JSON.parse(variables));
    }
    // Only one link of each page, because GraphiQL takes a second to start.
    links.push(found.at(-1));
  }
  const ready = 10;
  for (const [index, link] of links.entries()) {
    const asked = new URL(link).searchParams;
    await page.goto(link);
    await page.waitForFunction(
      (query) => globalThis.__MONACO?.editor.getModels().some((model) => model.getValue() === query),
      asked.get('query'),
      { polling: 100 },
    );
    assert.equal(page.url(), demo, 'the query is still in the URL, so a reload would open it again');
    assert.equal(await modelText(page, 'response.json'), '', 'the query ran without the button');
    assert.deepEqual(JSON.parse(await modelText(page, 'variables.json')), JSON.parse(asked.get('variables')));
    const tabs = await page.locator('button[id^="graphiql-session-tab-"]').allTextContents();
    assert.equal(tabs.length, ready + new Set(links.slice(0, index + 1)).size, tabs.join());
    const [response] = await Promise.all([
      page.waitForResponse((got) => got.request().postDataJSON()?.query === asked.get('query')),
      page.getByRole('button', { name: /^Execute query/ }).click(),
    ]);
    const answer = await response.json();
    assert.equal(answer.errors, undefined);
    assert.ok(answer.data);
    // GraphiQL stores its tabs with a delay. Two links may have the same query.
    await page.waitForFunction(
      ({ query, variables }) =>
        JSON.parse(localStorage.getItem('mintburn:graphiql:tabState') ?? '{"tabs":[]}').tabs.some(
          (tab) => tab.query === query && tab.variables === variables,
        ),
      Object.fromEntries(asked),
      { polling: 100 },
    );
  }
  await page.goto(links[0]);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  assert.equal(await page.locator('button[id^="graphiql-session-tab-"]').count(), ready + new Set(links).size, 'opening a link twice added a tab');
  assert.deepEqual(withoutAborted(problems), []);
});

test('GraphiQL is usable on a phone', async (t) => {
  const { page, problems, shoot } = await start(t, { size: 'phone' });
  await page.goto(demo);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
  for (const [pane, height] of [['.graphiql-query-editor', 150], ['.result-window', 200]]) {
    const box = await page.locator(pane).boundingBox();
    assert.ok(box.width >= 350 && box.height >= height && box.y + box.height <= SIZES.phone.height, `${pane}: ${JSON.stringify(box)}`);
  }
  await noSideways(page);
  await shoot('graphiql');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const box = await page.locator('.graphiql-doc-explorer').boundingBox();
  assert.ok(box.width >= 300 && box.height >= 150, JSON.stringify(box));
  await noSideways(page);
  await page.getByRole('link', { name: 'Explore' }).click();
  await loaded(page);
  assert.deepEqual(withoutAborted(problems), []);
});

test('Explore uses the theme chosen in GraphiQL', async (t) => {
  const { page } = await start(t, { colorScheme: 'dark' });
  await visit(page, new URL('explore', demo).href);
  const dark = await ground(page);
  await page.evaluate(() => localStorage.setItem('mintburn:graphiql:theme', 'light'));
  await visit(page, new URL('explore', demo).href);
  assert.notEqual(await ground(page), dark);
});

test('holes are drawn, and errors of the server are shown', async (t) => {
  const { page, problems } = await start(t);
  await visit(page, new URL('explore', hostile).href);
  const state = part(page, 'Chain');
  await state.getByText('320 blocks, 2 holes').waitFor();
  const holes = await state.locator('rect.unknown').evaluateAll((list) => list.map((rect) => [rect.getAttribute('x'), rect.getAttribute('width')].map(parseFloat)));
  const near = ([x, width], from, to) => Math.abs(x - (100 * from) / 361) < 0.01 && Math.abs(width - (100 * (to - from + 1)) / 361) < 0.01;
  assert.ok(holes.length === 2 && near(holes[0], 100, 139) && near(holes[1], 250, 250), JSON.stringify(holes));
  await state.getByText('no process follows the chain').waitFor();
  assert.equal(await state.locator('.nodes td[data-name=State]').textContent(), 'unknown');
  await state.getByText('Ranges as a table').click();
  assert.match(await state.getByRole('row').nth(2).textContent(), /indexed1402491/);
  assert.deepEqual(problems, []);

  await visit(page, new URL('explore?address=0x12', demo).href);
  for (const alert of await page.getByRole('alert').all()) assert.match(await alert.textContent(), /0x12.*address|address.*0x12/i);
  assert.ok((await page.getByRole('alert').count()) >= 2);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await loaded(page);
  assert.ok((await page.getByRole('alert').count()) >= 2);
});

// grouped counts records by the name of their hour, day, week or month, as a naive oracle.
function grouped(records, interval) {
  const name = ({ blockTime }) => {
    const date = new Date(blockTime * 1000);
    if (interval === 'Weeks') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
    const text = date.toISOString();
    return { Hours: `${text.slice(5, 10)} ${text.slice(11, 13)}:00`, Months: text.slice(0, 7) }[interval] ?? text.slice(0, 10);
  };
  const counts = new Map();
  for (const record of records) counts.set(name(record), (counts.get(name(record)) ?? 0) + 1);
  return counts;
}

// hatched returns the longest run of hatched pixel columns on a chart: columns with many
// semi-transparent pixels. The edge of a bar is one such column.
const hatched = (page) =>
  page.locator('#activity canvas').evaluate((canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    let [best, run] = [0, 0];
    for (let x = 60; x < width; x++) {
      let points = 0;
      for (let y = 0; y < 0.8 * height; y++) if (data[4 * (y * width + x) + 3] > 20 && data[4 * (y * width + x) + 3] < 235) points++;
      run = points >= 12 ? run + 1 : 0;
      best = Math.max(best, run);
    }
    return best;
  });

test('the chart matches the records, and marks holes', async (t) => {
  const { page, problems, shoot } = await start(t);
  const missing = [...Array.from({ length: 40 }, (_, i) => 100 + i), 250].map((number) => ({ blockTime: 1_700_000_000 + number * 6 * 3600 }));
  for (const address of [null, collection]) {
    const { mints, burns } = await ask(hostile, 'query ($a: Address) { mints(address: $a, partial: true, first: 1000) { data { blockTime } } burns(address: $a, partial: true, first: 1000) { data { blockTime } } }', { a: address });
    await visit(page, new URL(address ? `explore?address=${address}` : 'explore', hostile).href);
    const activity = part(page, 'Mints and burns');
    for (const [interval, number] of [['Days', 30], ['Weeks', 52], ['Months', 36], ['Hours', 48]]) {
      await activity.getByRole('radio', { name: interval }).check();
      await page.waitForFunction((count) => document.querySelectorAll('#activity tbody tr').length === count, number, { polling: 100 });
      await loaded(page);
      const rows = await activity.locator('tbody tr').evaluateAll((list) => list.map((row) => [...row.children].map(({ textContent }) => textContent)));
      const [minted, burned, unknown] = [mints.data, burns.data, missing].map((records) => grouped(records, interval));
      for (const [name, mintCount, burnCount, note] of rows) {
        assert.deepEqual([name, Number(mintCount), Number(burnCount)], [name, minted.get(name) ?? 0, burned.get(name) ?? 0]);
        if (unknown.has(name)) assert.match(note, /not all/, `${name} has a hole`);
      }
      // A time range may begin in a hole, so a bucket next to a hole is unknown too.
      const notes = rows.filter(([, , , note]) => note).length;
      const holes = rows.filter(([name]) => unknown.has(name)).length;
      assert.ok(notes >= holes && notes <= holes + 4, `${interval}: ${notes} unknown, ${holes} with holes`);
      assert.equal(await activity.getByRole('list').getByText('not indexed').count(), notes > 0 ? 1 : 0);
    }
    await activity.getByRole('radio', { name: 'Days' }).check();
    await page.waitForFunction(() => document.querySelectorAll('#activity tbody tr').length === 30, null, { polling: 100 });
    await loaded(page);
    // The canvas contains the colours of mints and burns.
    await page.waitForFunction(() => {
      const canvas = document.querySelector('#activity canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const has = (selector) => {
        const [r, g, b] = getComputedStyle(document.querySelector(selector)).color.match(/\d+/g).map(Number);
        for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) return true;
        return false;
      };
      return has('.of-mints') && has('.of-burns');
    }, null, { polling: 100 });
    const columns = await hatched(page);
    assert.ok(columns >= 8, `${columns} columns are hatched`);
    await shoot(address ? 'activity-collection' : 'activity');
  }
  await visit(page, new URL('explore', demo).href);
  assert.ok((await hatched(page)) < 4, 'columns are hatched without a hole');
  assert.deepEqual(problems, []);
});

// TOKENS have hostile documents.
const TOKENS = ['156', '155', '154', '153', '152', '151', '150', '149', '148'];

// harmless fails if a hostile text became a link, an element or a script.
async function harmless(page) {
  assert.ok(!(await page.title()).includes('attacked'));
  const links = await page.locator('a').evaluateAll((list) => list.map(({ href, target, rel }) => ({ href, target, rel })));
  for (const { href, target, rel } of links) {
    if (new URL(href).origin === new URL(hostile).origin) continue;
    assert.match(href, /^https:\/\/(documents|site|images)\.example\//);
    assert.equal(target, '_blank');
    assert.ok(rel.includes('noopener') && rel.includes('noreferrer'), rel);
  }
  const made = await page.evaluate(() => document.querySelectorAll('main :is(script, iframe, object, embed, b, image, [onclick], [onerror], [onload])').length);
  assert.equal(made, 0);
  for (const source of await page.locator('main img').evaluateAll((list) => list.map(({ src }) => src))) assert.doesNotMatch(source, /^data:text|javascript/i);
}

test('documents cannot attack the page', async (t) => {
  const { page, problems, outside, shoot } = await start(t);
  const inEachSize = async (check) => {
    for (const size of ['phone', 'wide']) {
      await page.setViewportSize(SIZES[size]);
      await noSideways(page);
      await check?.();
    }
  };
  page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
  await visit(page, new URL(`explore?address=${collection}`, hostile).href);
  await drawn(cards(page).filter({ hasText: 'Drawing' }));
  await harmless(page);
  await cards(page).filter({ hasText: '<img src=x onerror=' }).waitFor();
  await inEachSize(async () => {
    const heights = await cards(page).evaluateAll((list) => list.map((card) => card.getBoundingClientRect().height));
    assert.ok(Math.max(...heights) - Math.min(...heights) < 2, `a card stands out: ${heights}`);
    await shoot('hostile-collection');
  });
  for (const token of TOKENS) {
    await visit(page, new URL(`explore?address=${collection}&token=${token}`, hostile).href);
    await harmless(page);
    await inEachSize();
    if (token > 154) await shoot(`hostile-${token}`);
  }
  // The content security policy must also hold without the page's own escaping.
  await visit(page, new URL(`explore?address=${collection}`, hostile).href);
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
  const gallery = (more = '') => new URL(`explore?address=${collection}${more}`, hostile).href;
  // A link from another site brings the URL, but not the viewer's consent.
  for (const address of [gallery(), gallery('&images=all'), gallery('&token=153&images=all')]) {
    await visit(page, address);
    await page.getByRole('button', { name: 'Load them' }).waitFor();
    assert.equal(await page.locator('img:not([src^="data:"])').count(), 0);
  }
  assert.deepEqual(requested, []);
  assert.deepEqual(problems, []);

  await visit(page, gallery());
  await page.getByText('3 images from other hosts not loaded').waitFor();
  await page.getByRole('button', { name: 'Load them' }).click();
  await page.getByRole('button', { name: 'Hide them' }).waitFor();
  await drawn(cards(page).filter({ hasText: 'On IPFS' }));
  await drawn(cards(page).filter({ hasText: 'At Arweave' }));
  const hosted = cards(page).filter({ hasText: 'Hosted' });
  await hosted.getByText('image not available').waitFor();
  assert.deepEqual(outside, ['https://images.example/153.png']);
  assert.deepEqual(requested.filter((url) => !url.startsWith(gateway)), ['https://images.example/153.png'], 'a request for a host that documents may not name');
  await shoot('images');

  await cards(page).filter({ hasText: 'On IPFS' }).getByRole('link').first().click();
  await loaded(page);
  await drawn(part(page, 'Token'));
  await page.getByRole('button', { name: 'Hide them' }).click();
  await page.getByRole('button', { name: 'Load them' }).waitFor();
  assert.equal(await page.locator('img').count(), 0);
});
