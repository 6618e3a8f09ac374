// Starts Chromium with its network cut off except to loopback, and keeps a
// record of everything that would have gone elsewhere.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Cuts off what Chromium asks for itself, which no route below sees.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
];

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

// startBrowser returns a context with an empty profile, the list outside, which
// grows by every request of a page or its workers that is not for loopback
// (each is refused), and close.
export async function startBrowser() {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'mintburn-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
  });
  const outside = [];
  const isOutside = (url) => /^(https?|wss?):$/.test(url.protocol) && !LOOPBACK.has(url.hostname);
  await context.route(isOutside, (route) => {
    outside.push(route.request().url());
    return route.abort();
  });
  await context.routeWebSocket(isOutside, (socket) => {
    outside.push(socket.url());
    return socket.close();
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, outside, close };
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
