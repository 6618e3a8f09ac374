// Tests the page for Next.js of docs/howto.md: checks its types, and reads it page after page, without Next.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { largestCollection, url } from './server.js';

const here = import.meta.dirname;

// content returns the text, the links and the number of items of an element.
function content(element, found = { text: '', links: [], items: 0 }) {
  if (['string', 'number'].includes(typeof element)) found.text += element;
  if (element?.type === 'a') found.links.push(element.props.href);
  if (element?.type === 'li') found.items++;
  for (const child of Array.isArray(element) ? element : [element?.props?.children].flat()) child && content(child, found);
  return found;
}

test('the page lists all mints of a collection, twenty at a time', async () => {
  execFileSync(path.join(here, 'node_modules', '.bin', 'tsc'), ['-p', 'next'], { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });
  process.env.MINTBURN_URL = url;
  const { default: Page } = await import('./generated/next/page.js');
  const { address, ids } = await largestCollection();
  const params = Promise.resolve({ address });
  let [items, search] = [0, {}];
  for (;;) {
    const { text, links, ...page } = content(await Page({ params, searchParams: Promise.resolve(search) }));
    items += page.items;
    assert.ok(text.startsWith(`${ids.length} mints`), text);
    if (links.length === 0) break;
    search = Object.fromEntries(new URL(links[0], 'http://page').searchParams);
  }
  assert.equal(items, ids.length);
  await assert.rejects(Page({ params: Promise.resolve({ address: '0x' }), searchParams: Promise.resolve({}) }), /address/i);
});
