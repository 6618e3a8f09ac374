// Tests the parts of Explore that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './document.js';
import { merged } from '../src/explore/history.js';
import { joined } from '../src/explore/joined.js';
import { imageOf } from '../src/explore/images.js';
import { outsideURL, queryLink } from '../src/explore/links.js';
import { barsOf, moved, rangeOf, startOf, STEPS, stepsFor } from '../src/explore/intervals.js';
import { changed, reorgsOf } from '../src/explore/lately.js';
import { unitOf } from '../src/explore/chains.js';
import { complement, placed, size } from '../src/explore/ranges.js';
import { routeOf } from '../src/explore/routes.js';
import { recognise } from '../src/explore/search.js';
import { ago, approximate, clean, count, duration, iso, short } from '../src/explore/texts.js';
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

test('a long number is a power of ten', () => {
  assert.equal(approximate(String(2n ** 255n)), '≈ 5.79 × 10^76');
  assert.equal(approximate('9999999999999999'), '≈ 1.00 × 10^16');
});

test('the search box recognises addresses, hashes, blocks, tokens, names and links', () => {
  const address = `0x${'Ab'.repeat(20)}`;
  const hash = `0x${'0F'.repeat(32)}`;
  const lower = address.toLowerCase();
  const token = (tokenId) => ({ kind: 'token', address: lower, tokenId });
  for (const [text, want] of [
    ['', { kind: 'nothing' }],
    [' \t', { kind: 'nothing' }],
    [` ${address} `, { kind: 'address', address: lower }],
    [address.slice(2), { kind: 'address', address: lower }],
    [hash.replace('0x', '0X'), { kind: 'hash', hash: hash.toLowerCase() }],
    [hash.slice(2), { kind: 'hash', hash: hash.toLowerCase() }],
    [`${address}/7`, token('7')],
    [`${address.slice(2)} #007`, token('7')],
    [`${address}:${'9'.repeat(78)}`, token('9'.repeat(78))],
    ['19,000,000', { kind: 'block', number: 19_000_000 }],
    ['#7', { kind: 'block', number: 7 }],
    ['Latest', { kind: 'tag', tag: 'latest' }],
    ['finalized', { kind: 'tag', tag: 'finalized' }],
    ['0x12ab', { kind: 'name', search: '0x12ab', digits: 4 }],
    ['9'.repeat(20), { kind: 'name', search: '9'.repeat(20) }],
    ['0xmons', { kind: 'name', search: '0xmons' }],
    ['Spark #205', { kind: 'name', search: 'Spark #205', title: 'Spark', tokenId: '205' }],
    ['Cool Cats#7', { kind: 'name', search: 'Cool Cats#7', title: 'Cool Cats', tokenId: '7' }],
    ['ember 048', { kind: 'name', search: 'ember 048', title: 'ember', tokenId: '48' }],
    ['Five Mondays', { kind: 'name', search: 'Five Mondays' }],
    ['é'.repeat(70), { kind: 'name', search: 'é'.repeat(64) }],
    [`https://explorer.example/token/${address}?a=12`, token('12')],
    [`https://explorer.example/token/${address}?a=${address}`, { kind: 'address', address: lower }],
    [`explorer.example/nft/${address}/0x10`, token('16')],
    [`https://market.example/assets/ethereum/${address}/77#offers`, token('77')],
    [`http://127.0.0.1:8080/nft/explore/${address}/5?images=all`, token('5')],
    [`http://127.0.0.1:8080/explore/account/${address}`, { kind: 'address', address: lower }],
    [`https://explorer.example/tx/${hash}#events`, { kind: 'hash', hash: hash.toLowerCase() }],
    ['https://explorer.example/block/19000000', { kind: 'block', number: 19_000_000 }],
    ['http://localhost:8080/explore/block/latest', { kind: 'tag', tag: 'latest' }],
    ['https://explorer.example/', { kind: 'link' }],
  ]) assert.deepEqual(recognise(text), want, text);
});

test('routeOf reads the paths of Explore', () => {
  const address = `0x${'aB'.repeat(20)}`;
  const hash = `0X${'cD'.repeat(32)}`;
  const lower = address.toLowerCase();
  for (const [path, want] of [
    ['', { name: 'overview' }],
    ['/state', { name: 'state' }],
    [`/${address}`, { name: 'collection', address: lower }],
    [`/${address}/0x10`, { name: 'token', address: lower, tokenId: '16' }],
    [`/${address}/007`, { name: 'token', address: lower, tokenId: '7' }],
    [`/tx/${hash}`, { name: 'transaction', hash: hash.toLowerCase() }],
    ['/block/9', { name: 'block', number: '9' }],
    [`/account/${address}`, { name: 'account', address: lower }],
    ['/block/-1', {}],
    [`/${address}/x`, {}],
    ['/0x12', {}],
  ]) assert.deepEqual(routeOf(`explore${path}`), want, path);
});

test('the next page of an answer is joined to its lists', () => {
  const page = (data, cursor) => ({ totalItems: 3, cursor, data });
  const before = { collection: { name: 'A', tokens: page([1, 2], 'c') }, mints: page([1], 'd'), burns: page([5], null) };
  assert.deepEqual(joined(before, { collection: { tokens: page([3], null) }, mints: page([2], null) }), {
    collection: { name: 'A', tokens: page([1, 2, 3], null) },
    mints: page([1, 2], null),
    burns: page([5], null),
  });
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
test('the pages of a history form one list, newest or oldest first, without gaps', () => {
  for (let round = 0; round < 200; round++) {
    const records = Array.from({ length: round % 30 }, (_, i) => ({
      id: i, kind: Math.random() < 0.5 ? 'mint' : 'burn', blockNumber: Math.floor(Math.random() * 9), logIndex: i % 3, subIndex: i,
    })).sort((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex);
    if (round % 2 === 1) records.reverse();
    const take = (kind, number) => {
      const all = records.filter((record) => record.kind === kind);
      return { data: all.slice(0, number), cursor: number < all.length ? 'more' : null };
    };
    for (let number = 1; number < 31; number += 3) {
      const [mints, burns] = [take('mint', number), take('burn', number + (round % 3))];
      const got = merged(mints, burns, round % 2 === 1).map(({ id }) => id);
      assert.deepEqual(got, records.slice(0, got.length).map(({ id }) => id));
      if (!mints.cursor && !burns.cursor) assert.equal(got.length, records.length);
      if (mints.cursor || burns.cursor) assert.ok(got.length >= number, 'a page added no record');
    }
  }
});

// A naive oracle walks back hour by hour and counts the interval names.
test('bars begin at whole intervals, and a range of any length has 20 to 60 of them', () => {
  for (const step of STEPS) {
    for (const time of [1_700_000_000, 1_709_251_199, 1_709_251_200, 1_735_689_600]) {
      const [start, next] = [startOf(step, time), startOf(step, time, 1)];
      const date = new Date(start * 1000);
      assert.ok(start <= time && time < next, `${step.name} of ${time}: ${start} to ${next}`);
      assert.deepEqual([startOf(step, start), startOf(step, next - 1), startOf(step, next), startOf(step, next, -1)], [start, start, next, start]);
      if (step.seconds) assert.equal(next - start, step.seconds);
      if (step.interval !== 'HOUR') assert.equal(date.getUTCHours(), 0);
      if (step.interval === 'WEEK') assert.equal(date.getUTCDay(), 1);
      if (step.months) assert.deepEqual([date.getUTCDate(), date.getUTCMonth() % step.months], [1, 0]);
      if (step.name === '3m') assert.equal(new Date(next * 1000).getUTCMonth(), (date.getUTCMonth() + 3) % 12);
    }
    assert.equal(startOf(step, 5), 0);
  }
  for (let length = 20 * 3600; length < 14 * 31_536_000; length *= 1.01) {
    for (const from of [1_438_000_000, 1_700_000_000, 1_711_111_111]) {
      const [step] = stepsFor([from, from + Math.floor(length)]);
      let bars = 0;
      while (startOf(step, from, bars) <= from + length) bars++;
      assert.ok(bars >= 20 && bars <= 60, `${bars} bars of ${step.label} in ${length} s`);
    }
  }
  assert.deepEqual(stepsFor([7_200, 7_300]).map(({ name }) => name), ['1h']);
  assert.deepEqual(stepsFor([0, 9e9]).map(({ name }) => name), ['1y']);
});

test('bars add up intervals, and the supply continues from before', () => {
  const buckets = (...counts) => ({ buckets: counts.map((totalItems, i) => ({ fromTime: 1_700_006_400 + i * 86_400, totalItems })) });
  const days = STEPS.find(({ name }) => name === '3d');
  const bars = barsOf(days, [0, 9e9], { mints: buckets(1, 2, 3, 4, 5), burns: buckets(0, 1, 0, 0, 2), mintsBefore: { totalItems: 10 }, burnsBefore: { totalItems: 4 } });
  assert.deepEqual(bars.map(({ mints, burns, supply }) => [mints, burns, supply]), [[1, 0, 7], [9, 1, 15], [5, 2, 18]]);
  assert.equal(bars[0].to + 1, bars[1].from);
  assert.deepEqual(barsOf(days, [1_700_000_000, 1_700_010_000], { mints: buckets(1), burns: buckets(3) }).map(({ from, to }) => [from, to]), [[1_700_000_000, 1_700_010_000]]);
  assert.equal(barsOf(days, [0, 9e9], { mints: buckets(1), burns: buckets(3) })[0].supply, -2);
});

test('ranges move within the whole range', () => {
  const whole = [100, 1_099];
  assert.deepEqual(moved([300, 399], whole, { by: -1 }), [200, 299]);
  assert.deepEqual(moved([150, 249], whole, { by: -1 }), [100, 199]);
  assert.deepEqual(moved([1_000, 1_099], whole, { by: 1 }), [1_000, 1_099]);
  assert.deepEqual(moved([300, 399], whole, { times: 3 }), [200, 499]);
  assert.deepEqual(moved([100, 599], whole, { times: 3 }), whole);
  assert.deepEqual([rangeOf('5-9'), rangeOf('9-5'), rangeOf('5'), rangeOf('1e3-2e3'), rangeOf(undefined)], [[5, 9], undefined, undefined, undefined, undefined]);
});

test('news replace void mints, in order and once each', () => {
  const mint = (id, blockNumber, logIndex = 0) => ({ id, blockNumber, logIndex, subIndex: 0 });
  const list = (data, cursor) => ({ chain: { chainId: 1, head: { number: 8 } }, changes: { cursor: 'B' }, mints: { data, cursor, totalItems: data.length } });
  const news = (data, cursor, voided = []) => ({ chain: { head: { number: 9 } }, now: { cursor: 'C' }, changes: { changes: voided }, mints: { data, cursor } });
  const ids = ({ mints }) => mints.data.map(({ id }) => id).join('');
  const voided = [{ blocks: { fromBlock: 7, toBlock: 8 }, cause: 'REORG' }];
  const before = list([mint('c', 8), mint('b', 7), mint('a', 6), mint('z', 5)], 'next');
  const found = news([mint('e', 9), mint('d', 7), mint('a', 6)], 'next', voided);
  const after = changed(before, found, 3);
  assert.deepEqual([after.chain, after.changes.cursor, ids(after), after.mints.cursor], [{ chainId: 1, head: { number: 9 } }, 'C', 'edaz', true]);
  const [{ gone, came, cause }] = reorgsOf(before, found);
  assert.deepEqual([gone.map(({ id }) => id), came.map(({ id }) => id), cause], [['b', 'c'], ['d'], 'REORG']);
  // More than a page came: what is between is not known, so the list ends there.
  assert.equal(ids(changed(before, news([mint('h', 12), mint('g', 11), mint('f', 10)], 'next'), 3)), 'hgf');
  // All of a short list, the first ones of a longer one, and a list without any.
  assert.deepEqual(['e', null], [ids(changed(list([], null), news([mint('e', 9)], null), 3)), changed(list([], null), news([mint('e', 9)], null), 3).mints.cursor || null]);
  assert.deepEqual(['fc', true], [ids(changed(list([mint('c', 8), mint('b', 7)], null), news([mint('f', 8, 3), mint('c', 8)], 'next'), 2)), changed(list([mint('c', 8), mint('b', 7)], null), news([mint('f', 8, 3), mint('c', 8)], 'next'), 2).mints.cursor]);
  assert.equal(ids(changed(before, news([], null, [{ blocks: { fromBlock: 0, toBlock: 9 }, cause: 'REORG' }]), 3)), '');
});

test('times are said as people say them, and amounts of wei in the unit of a chain', () => {
  const now = 1_800_000_000;
  assert.deepEqual([0, 59, 60, 3_599, 3_600, 86_399].map((age) => ago(now - age, now)), ['0 s ago', '59 s ago', '1 min ago', '59 min ago', '1 h ago', '23 h ago']);
  assert.deepEqual([ago(now + 30, now), ago(now - 86_400, now), ago(now + 86_400, now)], ['0 s ago', '14 Jan 2027', '16 Jan 2027']);
  assert.deepEqual([1, 8453, 137, 100, 31337, 987654321, null].map(unitOf), ['ETH', 'ETH', 'POL', 'xDAI', '× 10^18 wei', '× 10^18 wei', '× 10^18 wei']);
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
