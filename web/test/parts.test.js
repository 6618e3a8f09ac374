// Tests the parts of Explore that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { merged } from '../src/explore/history.js';
import { imageOf } from '../src/explore/images.js';
import { outsideURL, queryLink } from '../src/explore/links.js';
import { nameOfInterval, RANGES, startOf } from '../src/explore/intervals.js';
import { complement, placed, size } from '../src/explore/ranges.js';
import { clean, count, duration, iso, short } from '../src/explore/texts.js';
import { csvOf, tablesOf } from '../src/tables.js';
import { linkedTab } from '../src/tabs.js';

const gateways = { ipfs: ['https://one.example/ipfs/', 'http://127.0.0.1:8081/ipfs/'], arweave: ['https://ar.example/'] };

test('complement returns uncovered ranges, size counts blocks', () => {
  assert.deepEqual(complement([[3, 5], [7, 7], [9, 20]], [0, 12]), [[0, 2], [6, 6], [8, 8]]);
  assert.deepEqual(complement([[0, 3], [4, 9]], [0, 9]), []);
  assert.deepEqual(complement([[0, 3]], [0, 4]), [[4, 4]]);
  assert.deepEqual(complement([], [5, 6]), [[5, 6]]);
  assert.equal(size([[3, 5], [7, 7]]), 4);
});

// Every block of a range lies within a part, and parts neither touch nor leave the bar.
test('a bar shows every range, however narrow', () => {
  for (let round = 0; round < 300; round++) {
    const last = 1 + Math.floor(Math.random() * 10 ** (1 + (round % 9)));
    const bounds = Array.from({ length: 2 * (1 + (round % 40)) }, () => Math.floor(Math.random() * (last + 1)));
    const sorted = [...new Set(bounds)].sort((a, b) => a - b);
    const ranges = [];
    for (let i = 0; i + 1 < sorted.length; i += 2) ranges.push([sorted[i], sorted[i + 1]]);
    const parts = placed(ranges, [0, last]);
    assert.ok(parts.length <= 400, `${parts.length} parts`);
    for (const [start, width] of parts) assert.ok(start >= 0 && width >= 0.2499 && start + width <= 100.0001, `${start} ${width}`);
    for (let i = 1; i < parts.length; i++) assert.ok(parts[i][0] - parts[i - 1][0] - parts[i - 1][1] >= 0.2499);
    for (const [from, to] of ranges) {
      const [start, end] = [(100 * from) / (last + 1), (100 * (to + 1)) / (last + 1)];
      assert.ok(
        parts.some(([at, width]) => Math.min(at, 99.75) <= start + 1e-9 && at + width >= end - 1e-9),
        `${from} to ${to} of ${last}: ${JSON.stringify(parts)}`,
      );
    }
  }
});

test('texts are cut and cannot disturb the surrounding text', () => {
  assert.equal(clean('\u202Egnp.exe\u0000\u2066', 20), 'gnp.exe');
  assert.equal(clean('a'.repeat(21), 20), `${'a'.repeat(20)}…`);
  assert.equal(clean('a'.repeat(20), 20), 'a'.repeat(20));
  assert.equal(clean(`e${'\u0301'.repeat(50)}x`, 80), `e${'\u0301'.repeat(3)}x`);
  assert.equal(clean('\uD800x', 20), '\uFFFDx');
  assert.equal(clean('👩‍🚀'.repeat(3), 4).endsWith('…'), true);
  assert.equal(short('0x5fbdb2315678afecb367f032d93f642f64180aa3'), '0x5fbd…0aa3');
  assert.equal(short('12345678901234'), '12345678901234');
  assert.equal(count('115792089237316195423570985008687907853'), '115,792,089,237,316,195,423,570,985,008,687,907,853');
  assert.deepEqual([0, 59, 60, 7_300, 86_400 * 3].map(duration), ['0 seconds', '59 seconds', '1 minute', '2 hours', '3 days']);
  assert.equal(iso(2 ** 53 - 1), '+275760-09-13T00:00:00.000Z');
});

test('linkedTab reads the query of queryLink', () => {
  const question = { query: 'query A($x: Int) { a(x: $x) }\n', variables: { x: 1, y: undefined } };
  const { query, variables } = linkedTab(new URL(queryLink(question), 'http://host').search);
  assert.equal(query, 'query A($x: Int) { a(x: $x) }');
  assert.deepEqual(JSON.parse(variables), { x: 1 });
  assert.equal(linkedTab('?variables={}'), null);
  assert.equal(linkedTab(''), null);
});

test('links lead to public hosts only', () => {
  for (const text of ['https://site.example/a?b#c', 'http://site.example', ' https://a.b.example:8443/ ']) assert.ok(outsideURL(text), text);
  for (const text of [
    'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://a.example/1', '//a.example', '/explore', 'https://',
    'https://user:word@a.example/', 'https://user@a.example/', 'http://127.0.0.1/', 'http://0x7f.1/', 'http://2130706433/', 'http://[::1]/', 'http://localhost:8080/', 'http://router/',
    'http://printer.local/', 'http://db.internal/', 'http://a.localhost/', 'java\nscript:alert(1)',
  ]) assert.ok(!outsideURL(text), text);
});

test('imageOf finds the image of a document', () => {
  const of = (image, imageData) => imageOf({ image, imageData }, gateways);
  const none = { inline: null, urls: null };
  assert.deepEqual(imageOf(null, gateways), none);
  assert.deepEqual(of('data:image/png;base64,AAAA'), { inline: 'data:image/png;base64,AAAA', urls: null });
  assert.deepEqual(of(null, '<svg xmlns="x"><script/></svg>'), { inline: 'data:image/svg+xml,%3Csvg%20xmlns%3D%22x%22%3E%3Cscript%2F%3E%3C%2Fsvg%3E', urls: null });
  for (const [text, want] of [
    ["data:image/svg+xml;utf8,<svg fill='#f00' d='a,b'/>", "data:image/svg+xml;utf8,<svg%20fill='%23f00'%20d='a,b'/>"],
    ['DATA:image/svg+xml;charset=utf-8,<svg\n\tid="#a#b"/>', 'DATA:image/svg+xml;charset=utf-8,<svg%0A%09id="%23a%23b"/>'],
    ['data:image/svg+xml,%3Csvg fill=%22%2300f%22 width=%22100%%22/%3E', 'data:image/svg+xml,%3Csvg%20fill=%22%2300f%22%20width=%22100%25%22/%3E'],
    ['data:image/svg+xml,<svg width="5%"/>100%', 'data:image/svg+xml,<svg%20width="5%25"/>100%25'],
    ['data:image/png;base64;name=a,A-_\n A=', 'data:image/png;name=a;base64,A+/A='],
    [' \uFEFFdata:image/gif;Base64 ,AAAA ', 'data:image/gif;base64,AAAA'],
    ['data:image/svg+xml,<svg>\ud800</svg>', 'data:image/svg+xml,<svg>\uFFFD</svg>'],
    ['data:image/svg+xml;utf8', null],
  ]) assert.equal(of(text).inline, want, text);
  assert.deepEqual(of('https://a.example/1.png', '<svg/>'), { inline: null, urls: ['https://a.example/1.png'] });
  assert.equal(of('https://a.example/1.png', '<svg >').inline, 'data:image/svg+xml,%3Csvg%20%3E');
  assert.deepEqual(of('http://a.example/1.png').urls, ['https://a.example/1.png']);
  assert.deepEqual(of('ipfs://ipfs/Qm/1 #2.png').urls, ['https://one.example/ipfs/Qm/1%20%232.png', 'http://127.0.0.1:8081/ipfs/Qm/1%20%232.png']);
  assert.deepEqual(of('AR://id').urls, ['https://ar.example/id']);
  for (const text of ['ipfs://', 'ipfs://x/../../secret', 'ipfs://%2e%2e/secret', 'data:text/html,x', 'data:application/pdf,x', 'javascript:x', 'http://10.0.0.1/x.png', '<b>', 'x.png', '']) {
    assert.deepEqual(of(text), none, text);
  }
  assert.deepEqual(imageOf({ image: 'ipfs://Qm/1' }, { ipfs: [], arweave: [] }), none);
});

// A naive oracle sorts all records at once.
test('the pages of a history form one list, newest first, without gaps', () => {
  for (let round = 0; round < 200; round++) {
    const records = Array.from({ length: round % 30 }, (_, i) => ({
      id: i, kind: Math.random() < 0.5 ? 'mint' : 'burn', blockNumber: Math.floor(Math.random() * 9), logIndex: i % 3, subIndex: i,
    })).sort((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex);
    const take = (kind, number) => {
      const all = records.filter((record) => record.kind === kind);
      return { data: all.slice(0, number), cursor: number < all.length ? 'more' : null };
    };
    for (let number = 1; number < 31; number += 3) {
      const [mints, burns] = [take('mint', number), take('burn', number + (round % 3))];
      const got = merged(mints, burns).map(({ id }) => id);
      assert.deepEqual(got, records.slice(0, got.length).map(({ id }) => id));
      if (!mints.cursor && !burns.cursor) assert.equal(got.length, records.length);
      if (mints.cursor || burns.cursor) assert.ok(got.length >= number, 'a page added no record');
    }
  }
});

// A naive oracle walks back hour by hour and counts the interval names.
test('a range begins at the start of an interval and has the right number of intervals', () => {
  for (const time of [1_700_000_000, 1_709_251_199, 1_709_251_200, 1_735_689_600, 1_700_000_000 + 86_400 * 3]) {
    for (const range of RANGES) {
      const start = startOf(range, time);
      const names = new Set();
      for (let at = time; at >= start; at -= 3_600) {
        const monday = at - ((Math.floor(at / 86_400) + 3) % 7) * 86_400;
        names.add(nameOfInterval(range.interval, range.interval === 'WEEK' ? monday : range.interval === 'HOUR' ? at - (at % 3_600) : at));
      }
      names.add(nameOfInterval(range.interval, start));
      assert.equal(names.size, range.number, `${range.interval} up to ${time}`);
      const before = new Date((start - 1) * 1000);
      const first = new Date(start * 1000);
      assert.equal(start % 3_600, 0);
      if (range.interval !== 'HOUR') assert.equal(first.getUTCHours(), 0);
      if (range.interval === 'WEEK') assert.equal(first.getUTCDay(), 1);
      if (range.interval === 'MONTH') assert.deepEqual([first.getUTCDate(), before.getUTCMonth() === first.getUTCMonth()], [1, false]);
    }
  }
  for (const range of RANGES) assert.equal(startOf(range, 5), 0);
});

test('the lists of an answer are tables, nested objects are columns, and CSV keeps null and formulas apart', () => {
  const edges = [{ cursor: 'a', node: { tokenId: '1', metadata: { name: '=1+1', tags: ['x', 1] } } }, null, { cursor: '', node: { tokenId: '2', metadata: null, more: false } }];
  const list = tablesOf({ mints: { totalItems: 2, edges, empty: [], texts: ['x'] }, chain: null, nodes: [{ id: 'a,"b' }, { id: 'c\nd' }] });
  assert.deepEqual(list, [
    {
      name: 'mints.edges',
      columns: ['cursor', 'node.tokenId', 'node.metadata.name', 'node.metadata.tags', 'node.metadata', 'node.more'],
      rows: [['a', '1', '=1+1', '["x",1]', null, null], [null, null, null, null, null, null], ['', '2', null, null, null, 'false']],
    },
    { name: 'nodes', columns: ['id'], rows: [['a,"b'], ['c\nd']] },
  ]);
  assert.equal(csvOf(list[0]), `cursor,node.tokenId,node.metadata.name,node.metadata.tags,node.metadata,node.more
a,1,'=1+1,"[""x"",1]",,
,,,,,
"",2,,,,false
`);
  assert.equal(csvOf(list[1]), 'id\n"a,""b"\n"c\nd"\n');
  assert.deepEqual(tablesOf(null), []);
});
