// Helpers of the tests of Explore in Chromium.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import axe from 'axe-core';

import { startBrowser, watch } from './browser.js';

const screenshots = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'screenshots');

export const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 640 } };

// start opens a page in a new browser context.
export async function start(t, { colorScheme = 'light', size = 'wide' } = {}) {
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

// unexpected are the problems of a page without those of the status 404, which a token or block that is not
// indexed has.
export const unexpected = (problems) => problems.filter((problem) => !problem.includes('404'));

// visit opens a page of Explore and waits until all its sections are loaded.
export async function visit(page, address) {
  await page.goto(address);
  await loaded(page);
}

export async function loaded(page) {
  await page.locator('.explore h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.explore [aria-busy]'), null, { polling: 50 });
}

// part returns the section with exactly this title.
export const part = (page, name) => page.getByRole('region', { name, exact: true });

// cards returns the cards of a section, or of the only gallery.
export const cards = (inside) => inside.locator('.card');

export async function ask(server, query, variables, headers) {
  const response = await fetch(new URL('graphql', server), { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

// noSideways fails if a page stays wider than its window. It polls, because a chart adapts to a new size
// with a delay.
export async function noSideways(page) {
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { polling: 50, timeout: 5_000 }).catch(async ({ message }) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.fail(`${page.url()} is ${width} px wide in a window of ${page.viewportSize().width}: ${message}`);
  });
}

// drawn waits until an image is drawn.
export async function drawn(locator) {
  const image = locator.locator('img');
  await image.scrollIntoViewIfNeeded();
  const handle = await image.elementHandle();
  await locator.page().waitForFunction((element) => element.complete && element.naturalWidth > 0, handle, { polling: 50 });
}

// accessible checks the page with axe in the theme that is shown, also that its targets are large enough.
export async function accessible(page, name) {
  if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(axe.source);
  // What fades in has colours in between, without contrast.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))));
  const { passes, violations } = await page.evaluate(() => globalThis.axe.run(document, { rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] }));
  assert.ok(passes.length > 0);
  assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${name}: ${id}: ${html.slice(0, 200)}: ${failureSummary}`)), []);
}

// tabTo presses the Tab key until an element with this text has the focus, which must be visible.
export async function tabTo(page, text) {
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim());
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press('Tab');
    const now = await focused();
    if (text instanceof RegExp ? text.test(now) : now === text) {
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none', `the focus on ${text} cannot be seen`);
      return;
    }
  }
  assert.fail(`the Tab key does not reach ${text}`);
}

// modelText returns the content of a GraphiQL editor.
export const modelText = (page, file) =>
  page.evaluate((name) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(name))?.getValue(), file);
