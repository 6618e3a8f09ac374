// Starts Chromium with its network cut off except to loopback, and keeps a
// record of everything that would have gone elsewhere.
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
  // Cuts off every other host, be it asked by a page, by a worker or by Chromium itself.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
];

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

// browser is one for all tests of a file: to start one costs more than most tests.
let browser;
after(async () => (await browser)?.close());

// startBrowser returns a context with an empty profile, the list outside, which
// grows by every request of a page or its workers that is not for loopback
// (each fails), and close.
export async function startBrowser() {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args: FLAGS });
  const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 } });
  const outside = [];
  const isOutside = (url) => /^(https?|wss?):$/.test(url.protocol) && !LOOPBACK.has(url.hostname);
  // Not by a route, with which Chromium would keep nothing that it has loaded.
  context.on('request', (request) => {
    if (isOutside(new URL(request.url()))) outside.push(request.url());
  });
  await context.routeWebSocket(isOutside, (socket) => {
    outside.push(socket.url());
    return socket.close();
  });
  return { context, outside, close: () => context.close() };
}

// watch collects what goes wrong on a page: script errors, errors on the
// console, failed requests, and what the content security policy refused.
export function watch(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => problems.push(`request: ${request.url()} ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`response: ${response.url()} ${response.status()}`);
  });
  return problems;
}
