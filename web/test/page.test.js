// Tests the page at / in Chromium, against the server at MINTBURN_URL.
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import axe from 'axe-core';

import { startBrowser, watch } from './browser.js';
import { noSideways, SIZES } from './explore.js';

const url = process.env.MINTBURN_URL;
const screenshots = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'screenshots');

// start returns a new browser context, because the page stores its tabs in the profile.
async function start(t) {
  assert.ok(url, 'set MINTBURN_URL to the address of a running server');
  await mkdir(screenshots, { recursive: true });
  const browser = await startBrowser();
  t.after(browser.close);
  return browser;
}

// open opens the page and waits until the editor is shown.
async function open(context, { colorScheme = 'light' } = {}) {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme });
  const problems = watch(page);
  await page.goto(url);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return { page, problems };
}

function readyTabs(page) {
  return page.evaluate(() => JSON.parse(document.getElementById('page-data').textContent).tabs);
}

// tabButtons returns the tabs without their close buttons.
function tabButtons(page) {
  return page.locator('button[id^="graphiql-session-tab-"]');
}

async function setModelText(page, file, text) {
  await page.evaluate(
    ([name, value]) =>
      globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(name)).setValue(value),
    [file, text],
  );
}

// waitForModel waits until an editor contains a text. It polls ten times a second, because
// a busy machine may draw no frames. On failure it reports the content of all editors.
async function waitForModel(page, file, text) {
  const holds = ([name, want]) =>
    globalThis.__MONACO?.editor.getModels().find(({ uri }) => uri.path.endsWith(name))?.getValue() === want;
  await page.waitForFunction(holds, [file, text], { polling: 100 }).catch(async ({ message }) => {
    const texts = () => globalThis.__MONACO.editor.getModels().map((model) => [model.uri.path, model.getValue()]);
    assert.fail(`${message}: ${file} is not ${text}: ${JSON.stringify(await page.evaluate(texts))}`);
  });
}

async function show(page, tab) {
  await tabButtons(page).filter({ hasText: tab.title }).click();
  await waitForModel(page, 'operation.graphql', tab.query);
  await waitForModel(page, 'variables.json', tab.variables);
}

// run presses the button and returns the response once the result pane shows it. On a busy
// machine the response to the page's own introspection may arrive after the press, so run
// ignores it.
async function run(page) {
  const isAnswer = (response) => {
    const sent = response.request().postData() ?? '';
    return /"(query|operationName)"/.test(sent) && !sent.includes('IntrospectionQuery');
  };
  const [response] = await Promise.all([
    page.waitForResponse(isAnswer),
    page.getByRole('button', { name: /^Execute query/ }).click(),
  ]);
  const answer = await response.json();
  await waitForModel(page, 'response.json', JSON.stringify(answer, null, 2));
  await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
  const cost = Number(response.headers()['mintburn-cost']);
  assert.ok(cost > 0);
  await page.locator('.page-tools output', { hasText: `Cost ${cost.toLocaleString('en')} of at most 500,000` }).waitFor();
  return answer;
}

test('each example tab runs and shows data, without requests to other hosts', async (t) => {
  const browser = await start(t);
  const { page, problems } = await open(browser.context);
  const tabs = await readyTabs(page);
  assert.equal(tabs.length, 10, 'five operations, a batch, a list, totals by time, a token with its collection, and changes');
  assert.deepEqual(
    await tabButtons(page).allTextContents(),
    tabs.map(({ title }) => title),
  );

  // The last one is a subscription: test/live.test.js.
  for (const tab of tabs.slice(0, 9)) {
    await t.test(tab.title, async () => {
      await show(page, tab);
      const answer = await run(page);
      assert.equal(answer.errors, undefined);
      const { token, collection, ...connections } = answer.data;
      if (token || collection) {
        assert.ok(token.lastBurn);
        connections.tokens = collection.tokens;
      }
      for (const [field, connection] of Object.entries(connections)) {
        assert.ok(connection.data.length > 0, `${field} is empty`);
        assert.ok(connection.totalItems > 0, `${field} has no total`);
      }
      await page.screenshot({ path: path.join(screenshots, `tab-${tab.title}.png`) });
    });
  }
  // The build edits how GraphiQL makes these names.
  assert.equal(await page.getByRole('button', { name: /^Execute query/ }).locator('title').textContent(), 'play icon');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('TokenMetadata', { exact: true }).waitFor();
  await page.screenshot({ path: path.join(screenshots, 'documentation.png') });

  assert.deepEqual(problems, []);
  assert.deepEqual(browser.outside, []);
});

test('the first example is answered without a click, by GET, and each tab shows its own cost', async (t) => {
  const browser = await start(t);
  const sent = [];
  browser.context.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/graphql') && !request.postData()?.includes('IntrospectionQuery')) sent.push(request);
  });
  const { page, problems } = await open(browser.context);
  const tabs = await readyTabs(page);
  const [first, second] = [tabs[0], tabs.find(({ title }) => title === 'Batch')];
  const answered = page.locator('.result-window .view-line', { hasText: '"data"' }).first();
  const cost = page.locator('.page-tools output');
  await answered.waitFor();
  const [request] = sent;
  assert.equal(request.method(), 'GET');
  const { query, variables } = Object.fromEntries(new URL(request.url()).searchParams);
  assert.equal(query, first.query);
  assert.deepEqual(JSON.parse(variables), JSON.parse(first.variables));
  await cost.getByText(/^Cost [\d,]+ of at most/).waitFor();
  const shown = await cost.textContent();

  await show(page, second);
  assert.equal(await cost.textContent(), '');
  await run(page);
  assert.notEqual(await cost.textContent(), shown);
  await show(page, first);
  assert.equal(await cost.textContent(), shown);
  assert.deepEqual(sent.map((one) => one.method()), ['GET', 'POST']);
  assert.deepEqual(problems, []);
});

test('an answer that comes after the visitor has opened another tab is not shown there', async (t) => {
  const browser = await start(t);
  let asked;
  const asking = new Promise((resolve) => (asked = resolve));
  // The answer of the first example never comes.
  await browser.context.route(/graphql\?query/, (route) => asked(route));
  const { page, problems } = await open(browser.context);
  const [, second] = await readyTabs(page);
  await asking;
  const ended = page.waitForEvent('requestfailed', (request) => request.method() === 'GET');
  await show(page, second);
  assert.match((await ended).failure().errorText, /ERR_ABORTED/);
  await run(page);
  assert.deepEqual(problems.filter((problem) => !problem.includes('ERR_ABORTED')), []);
});

test('at most 1.1 MB are transferred until the first answer is shown, and the workers load when they are used', async (t) => {
  const browser = await start(t);
  const { page, problems } = await open(browser.context);
  await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
  await page.waitForLoadState('networkidle');
  const loaded = () =>
    page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
        file: new URL(entry.name).pathname,
        bytes: entry.encodedBodySize,
      })),
    );
  const workers = async () => (await loaded()).map(({ file }) => /\w+\.worker/.exec(file)?.[0]).filter(Boolean);
  const atStart = await loaded();
  const sum = atStart.reduce((total, { bytes }) => total + bytes, 0);
  t.diagnostic(`${sum} bytes in ${atStart.length} answers`);
  assert.ok(sum > 500_000 && sum <= 1_100_000, JSON.stringify(atStart));
  assert.deepEqual(await workers(), []);
  const loads = async (pane, names) => {
    await page.locator(pane).hover();
    await page.waitForFunction(
      (list) => list.every((name) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(name))),
      names,
      { polling: 100 },
    );
  };
  await loads('.graphiql-query-editor .monaco-editor', ['graphql.worker', 'editor.worker']);
  assert.ok(!(await workers()).includes('json.worker'));
  await loads('.result-window .monaco-editor', ['json.worker']);
  assert.deepEqual(problems, []);
});

test('the dark theme of the system applies, and the editor validates queries in its worker', async (t) => {
  const browser = await start(t);
  const { page, problems } = await open(browser.context, { colorScheme: 'dark' });
  const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(red + green + blue < 300, `${red}, ${green}, ${blue} is not dark`);
  const [tab] = await readyTabs(page);
  await show(page, tab);
  assert.equal((await run(page)).errors, undefined);
  await page.screenshot({ path: path.join(screenshots, 'dark.png') });
  await page.locator('.graphiql-query-editor').hover();
  await setModelText(page, 'operation.graphql', tab.query.replace('totalItems', 'noSuchField'));
  await page.locator('.squiggly-error').first().waitFor();
  await setModelText(page, 'operation.graphql', tab.query);
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  await page.locator('.graphiql-editor-tool .monaco-editor').first().hover();
  await setModelText(page, 'variables.json', '{"block": 1, "first": "many"}');
  await page.locator('.squiggly-error').first().waitFor();
  await setModelText(page, 'variables.json', tab.variables);
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
  assert.deepEqual(browser.outside, []);
});

test('a second visit keeps edited tabs', async (t) => {
  const browser = await start(t);
  const first = await open(browser.context);
  const [tab] = await readyTabs(first.page);
  await show(first.page, tab);
  await first.page.locator('.graphiql-query-editor .view-line').first().click();
  await first.page.keyboard.press('ControlOrMeta+Home');
  // One input, because the editor on a slow machine lost single key presses.
  await first.page.keyboard.insertText('# mine ');
  const edited = `# mine ${tab.query}`;
  await waitForModel(first.page, 'operation.graphql', edited);
  await first.page.waitForFunction(() => localStorage.getItem('mintburn:graphiql:tabState')?.includes('# mine'), null, { polling: 100 });
  await first.page.close();

  const { page, problems } = await open(browser.context);
  await waitForModel(page, 'operation.graphql', edited);
  await waitForModel(page, 'variables.json', tab.variables);
  assert.equal(await tabButtons(page).count(), 10);
  assert.deepEqual(problems, []);
});

// accessible checks a part of the page with axe in the theme that is shown, by all rules or some.
async function accessible(page, part, rules) {
  await page.evaluate(axe.source);
  // The dialog and the menu fade in, and colours in between have no contrast.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))));
  const { passes, violations } = await page.evaluate(([selector, runOnly]) => globalThis.axe.run(selector, { ...(runOnly && { runOnly }) }), [part, rules]);
  assert.ok(passes.length > 0);
  assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`)), []);
}

for (const colorScheme of ['light', 'dark']) {
  test(`the page fits small windows in the colours of the other pages: ${colorScheme}`, async (t) => {
    const browser = await start(t);
    const { page, problems } = await open(browser.context, { colorScheme });
    const [tab] = await readyTabs(page);
    await show(page, tab);
    await run(page);
    for (const size of Object.values(SIZES)) {
      await page.setViewportSize(size);
      await noSideways(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0, 'the page scrolls');
      // Comments are not cut.
      await page.waitForFunction(
        () => {
          const editor = globalThis.__MONACO.editor.getEditors().find((one) => one.getModel().uri.path.endsWith('operation.graphql'));
          return editor.getScrollWidth() <= editor.getLayoutInfo().contentWidth;
        },
        null,
        { polling: 100 },
      );
      await accessible(page, '.graphiql-container', ['color-contrast']);
    }
    await accessible(page, 'html', ['page-has-heading-one']);
    const { button, mint } = await page.evaluate(() => {
      const probe = Object.assign(document.createElement('p'), { style: 'color: var(--mint)' });
      document.body.append(probe);
      const numbers = (colour) => colour.match(/\d+/g).map(Number);
      return { button: numbers(getComputedStyle(document.querySelector('.graphiql-execute-button')).backgroundColor), mint: numbers(getComputedStyle(probe).color) };
    });
    for (const i of [0, 1, 2]) assert.ok(Math.abs(button[i] - mint[i]) <= 2, `the button is ${button}, mint is ${mint}`);
    assert.deepEqual(problems, []);
  });
}

const tool = (page, name) => page.locator('.page-tools').getByRole('button', { name, exact: true });

test('the explorer adds a field to the query', async (t) => {
  const browser = await start(t);
  const { page, problems } = await open(browser.context);
  const [tab] = await readyTabs(page);
  await show(page, tab);
  await page.getByRole('button', { name: 'Show Query Explorer' }).click();
  await page.locator('.graphiql-explorer-root').getByText('chain', { exact: true }).click();
  await page.locator('.graphiql-query-editor .view-line', { hasText: /^\s*chain/ }).first().waitFor();
  await page.screenshot({ path: path.join(screenshots, 'explorer.png') });
  assert.deepEqual(problems, []);
  assert.deepEqual(browser.outside, []);
});

test('an operation is copied as a program without its key, and shared as a link', async (t) => {
  const browser = await start(t);
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { page, problems } = await open(browser.context);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const tab = (await readyTabs(page)).find(({ title }) => title === 'Batch');
  await show(page, tab);
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await setModelText(page, 'request-headers.json', '{"X-API-Key": "hidden", "X-Request-Id": "mine"}');

  await tool(page, 'Copy as').click();
  await accessible(page, '[role="menu"]');
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['curl', 'fetch', 'Apollo', 'urql', 'Python', 'Go']);
  await page.getByRole('menuitem', { name: 'Python' }).click();
  await page.getByRole('dialog').getByText('Copied.').waitFor();
  const program = await clipboard();
  assert.equal(await page.getByRole('dialog').locator('pre').textContent(), program);
  for (const part of [tab.query.trim(), new URL('graphql', url).href, 'YOUR_API_KEY', 'mine']) assert.ok(program.includes(part), part);
  assert.ok(!program.includes('hidden'));
  await page.keyboard.press('Escape');

  await setModelText(page, 'variables.json', '{');
  await tool(page, 'Copy as').click();
  await page.getByRole('menuitem', { name: 'Go' }).click();
  await page.getByRole('alert').getByText('Variables are invalid JSON').waitFor();
  await page.keyboard.press('Escape');
  await setModelText(page, 'variables.json', tab.variables);

  await tool(page, 'Share').click();
  await page.getByRole('dialog').getByText('Copied.').waitFor();
  const link = await clipboard();
  assert.ok(!link.includes('hidden'));
  await page.keyboard.press('Escape');

  // Of several operations one is copied.
  await setModelText(page, 'operation.graphql', 'query First { __typename } query Second { __typename }');
  await tool(page, 'Copy as').click();
  await page.getByRole('menuitem', { name: 'fetch' }).click();
  await page.getByRole('dialog').getByText('Copied.').waitFor();
  assert.equal((await clipboard()).match(/query (First|Second)/g).length, 1);
  await page.keyboard.press('Escape');

  // A page that came by plain HTTP from another host has no clipboard.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await setModelText(page, 'operation.graphql', `{ __typename } #${'x'.repeat(8_000)}`);
  await tool(page, 'Share').click();
  await page.getByRole('alert').getByText('want at most 8000').waitFor();
  await page.keyboard.press('Escape');
  await setModelText(page, 'operation.graphql', '{ __typename }');
  await tool(page, 'Share').click();
  await page.getByRole('dialog').getByText('Select the text to copy it.').waitFor();

  const other = await browser.context.newPage();
  await other.goto(link);
  await waitForModel(other, 'operation.graphql', tab.query);
  await waitForModel(other, 'variables.json', tab.variables);
  assert.deepEqual(problems, []);
  assert.deepEqual(browser.outside, []);
});

for (const colorScheme of ['light', 'dark']) {
  test(`an answer is shown as a table, and downloaded as CSV: ${colorScheme}`, async (t) => {
    const browser = await start(t);
    const { page, problems } = await open(browser.context, { colorScheme });
    const [, tab] = await readyTabs(page);
    await show(page, tab);
    await tool(page, 'Table').click();
    await page.getByRole('alert').getByText('no list of objects').waitFor();
    await page.keyboard.press('Escape');
    const { data } = (await run(page)).data.burns;
    await accessible(page, '.page-tools');
    await tool(page, 'Table').click();
    const table = page.getByRole('region', { name: 'burns.data' });
    assert.deepEqual(await table.getByRole('columnheader').allTextContents(), Object.keys(data[0]));
    assert.equal(await table.getByRole('row').count(), 1 + data.length);
    await accessible(page, '[role="dialog"]');
    await page.screenshot({ path: path.join(screenshots, `table-${colorScheme}.png`) });
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download burns.data.csv' }).click()]);
    assert.equal(download.suggestedFilename(), 'burns.data.csv');
    const lines = (await readFile(await download.path(), 'utf8')).split('\n');
    assert.equal(lines.length, data.length + 2);
    assert.deepEqual(lines[1].split(','), Object.values(data[0]).map((value) => `${value ?? ''}`));
    assert.deepEqual(problems, []);
    assert.deepEqual(browser.outside, []);
  });
}
