// Starts Chromium with network access to loopback only, and records every request to
// another host.
import { after } from 'node:test';

import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Blocks every other host, for pages, workers and Chromium itself.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
];

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

// browser is shared by all tests of a file, because starting one takes longer than most
// tests.
let browser;
after(async () => (await browser)?.close());

// startBrowser returns a context with an empty profile, its close function, and the list
// outside. Every request of a page or its workers to a host other than loopback fails and
// is added to outside.
export async function startBrowser() {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args: FLAGS });
  const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 } });
  // A machine under load may need more than Playwright's 30 seconds.
  context.setDefaultTimeout(120_000);
  const outside = [];
  const isOutside = (url) => /^(https?|wss?):$/.test(url.protocol) && !LOOPBACK.has(url.hostname);
  // A route would also see requests, but it disables Chromium's cache.
  context.on('request', (request) => {
    if (isOutside(new URL(request.url()))) outside.push(request.url());
  });
  await context.routeWebSocket(isOutside, (socket) => {
    outside.push(socket.url());
    return socket.close();
  });
  return { context, outside, close: () => context.close() };
}

// watch collects the problems of a page: script errors, console errors (which include
// violations of the content security policy), failed requests and error responses. A request
// that is aborted is none: the page that asked again on its own was left meanwhile.
export function watch(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText;
    if (error !== 'net::ERR_ABORTED') problems.push(`request: ${request.url()} ${error}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`response: ${response.url()} ${response.status()}`);
  });
  return problems;
}
