// Makes the pictures of the documents, docs/images/*.webp, from the demo at MINTBURN_URL.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const root = process.env.MINTBURN_URL;
if (!root) throw new Error('set MINTBURN_URL to the address of mintburn demo, such as http://127.0.0.1:8080/');
const images = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'images');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
const encoder = await browser.newPage();

// webp encodes a PNG.
const webp = (png) =>
  encoder.evaluate(async (text) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }, png.toString('base64'));

async function picture(name) {
  const file = path.join(images, `${name}.webp`);
  const content = Buffer.from(await webp(await page.screenshot()), 'base64');
  await writeFile(file, content);
  console.log(file, content.length, 'bytes');
}

// explore opens a page of Explore and waits for its sections and pictures.
async function explore(at) {
  await page.goto(`${root}explore${at}`);
  await page.locator('.explore h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.explore [aria-busy]'));
  await page.waitForLoadState('networkidle');
}

await mkdir(images, { recursive: true });
const response = await fetch(`${root}graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ collections { data { address } } burns(order: DESC, first: 100) { data { tokenAddress tokenId } } }' }),
});
const { data } = await response.json();
const [{ address }] = data.collections.data;
const burn = data.burns.data.find(({ tokenAddress }) => tokenAddress === address);

await explore('');
await picture('explore');
await explore(`/${burn.tokenAddress}/${burn.tokenId}`);
await page.locator('.explore img').first().waitFor();
await picture('token');
await page.goto(root);
await page.locator('.graphiql-query-editor .view-line').first().waitFor();
await page.locator('.result-window .view-line', { hasText: '"data"' }).first().waitFor();
await picture('playground');
await browser.close();
