// Verifies what /v1/block/{block}/proof answers, and decodes the mints and burns of the block. It
// runs in Node and in browsers, and shares no code with the server.
import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { keccak_256 as keccak } from '@noble/hashes/sha3.js';

const hex = (bytes) => '0x' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const integer = (bytes) => (bytes.length > 0 ? BigInt(hex(bytes)) : 0n);
const topic = (event) => hex(keccak(new TextEncoder().encode(event)));

const ZERO = '0x' + '00'.repeat(20);
const TRANSFER = topic('Transfer(address,address,uint256)');
const SINGLE = topic('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = topic('TransferBatch(address,address,address,uint256[],uint256[])');
const RANGE = topic('ConsecutiveTransfer(uint256,uint256,address,address)');

// verify returns the mints and burns of an answer's block in chain order: all of them, and no
// others. It throws an error with the first step that fails. blockHash is the block's hash from a
// source that you trust, by default that of the answer. The other options must be those of the
// server, addresses in lower case; without contracts it decodes all.
export async function verify(answer, { blockHash = answer.block_hash, contracts = [], burnAddresses = [], unindexed = [], rangeCap = 10_000 } = {}) {
  const { block_hash, block_number, proof } = answer;
  if (!proof) fail('the server gave none');
  const header = bytesOf(proof.header);
  const hash = hex(keccak(header));
  if (hash !== blockHash || hash !== block_hash) fail(`the header's hash is ${hash}, the block's ${block_hash}, want ${blockHash}`);
  const fields = decode('the header', header, 13);
  const [root, bloom, extra] = [hex(fields[5]), fields[6], fields[12]];
  const [number, timestamp] = [fields[8], fields[11]].map((field) => Number(integer(field)));
  if (number !== block_number) fail(`the header's number is ${number}, the block's ${block_number}`);
  if (extra.length > 32) fail("the header has a seal in its extra data, as on Polygon, where logs may lie outside the receipts' root");
  const receipts = await received(proof.receipts, root, bloom);
  const found = [];
  let [log_index, left] = [0, 100 * rangeCap];
  for (const [i, receipt] of receipts.entries()) {
    const [, , , logs] = decode(`receipt ${i}`, receipt[0] < 0xc0 ? receipt.subarray(1) : receipt, 4);
    for (const [address, topics, data] of logs) {
      const token_address = hex(address);
      const transfer = contracts.length > 0 && !contracts.includes(token_address) ? null : transferOf(topics, data, unindexed.includes(token_address));
      for (const [sub_index, [token_id, amount]] of tokensOf(transfer).entries()) {
        const { contract_type, from, to, operator } = transfer;
        found.push({
          token_address, contract_type, token_id: String(token_id), block_hash, block_number, log_index, from, to, amount: String(amount),
          operator, timestamp, block_time: timestamp, sub_index,
        });
      }
      log_index++;
    }
  }
  return found;

  // tokensOf returns ids and amounts of a mint or burn, none of another transfer or too long a range.
  function tokensOf(transfer) {
    const { from, to, first, last, tokens } = transfer ?? { from: ZERO, to: ZERO };
    if (from === to || (from !== ZERO && to !== ZERO && !burnAddresses.includes(to))) return [];
    if (tokens) return tokens;
    const count = last - first + 1n;
    if (count > rangeCap || (count > 1n && count > left)) return [];
    if (count > 1n) left -= Number(count);
    return Array.from({ length: Number(count) }, (_, i) => [first + BigInt(i), 1n]);
  }
}

// received returns the receipts of a block whose header has this root and bloom filter.
async function received(texts, root, bloom) {
  if (texts === null) {
    if (root === (await rootOf([])) || excludes(bloom)) return [];
    fail("there are no receipts, but the header's bloom filter does not exclude mints and burns");
  }
  const receipts = texts.map(bytesOf);
  const built = await rootOf(receipts);
  if (built !== root) fail(`the receipts' root is ${built}, the header's ${root}`);
  return receipts;
}

// rootOf returns the root of the trie of receipts. It leaves out empty ones, which decode refuses.
async function rootOf(receipts) {
  const trie = await createMPT();
  for (const [i, receipt] of receipts.entries()) await trie.put(RLP.encode(i), receipt);
  return hex(trie.root());
}

// excludes reports whether a bloom filter excludes all mints and burns. An empty or all-zero one, as
// on chains that keep none, excludes nothing.
function excludes(bloom) {
  const set = (bit) => (bloom[255 - (bit >> 3)] >> (bit & 7)) & 1;
  const has = (hash) => [0, 2, 4].every((i) => set(((hash[i] << 8) | hash[i + 1]) & 2047));
  return bloom.some((byte) => byte > 0) && ![TRANSFER, SINGLE, BATCH, RANGE].some((event) => has(keccak(bytesOf(event))));
}

// transferOf returns the transfer in a log, or null if it has none, or an invalid one.
function transferOf(topics, data, unindexed) {
  const event = topics.length > 0 ? hex(topics[0]) : '';
  const of721 = (from, to, first, last) => parties({ from, to, operator: null }, { contract_type: 'ERC721', first: integer(first), last: integer(last) });
  const of1155 = (ids, amounts) => {
    if (!ids || ids.length !== amounts?.length) return null;
    const [, operator, from, to] = topics;
    return parties({ from, to, operator }, { contract_type: 'ERC1155', tokens: ids.map((id, i) => [id, amounts[i]]) });
  };
  const word = (i) => data.subarray(32 * i, 32 * i + 32);
  if (event === TRANSFER && topics.length === 1 && unindexed && data.length >= 96) return of721(word(0), word(1), word(2), word(2));
  if (topics.length !== 4) return null;
  if (event === TRANSFER) return of721(topics[1], topics[2], topics[3], topics[3]);
  if (event === SINGLE && data.length >= 64) return of1155([integer(word(0))], [integer(word(1))]);
  if (event === BATCH) return of1155(arrayAt(data, 0), arrayAt(data, 32));
  if (event === RANGE && data.length >= 32) return of721(topics[2], topics[3], topics[1], word(0));
  return null;
}

// parties adds addresses to a transfer. It returns null if a word is no address.
function parties(words, transfer) {
  for (const [name, word] of Object.entries(words)) {
    if (word?.subarray(0, 12).some((byte) => byte > 0)) return null;
    transfer[name] = word && hex(word.subarray(12));
  }
  return transfer;
}

// arrayAt returns the uint256[] whose offset is at a place of ABI data, or null if it leaves the data.
function arrayAt(data, place) {
  const offset = data.length >= place + 32 ? integer(data.subarray(place, place + 32)) : data.length;
  const start = Number(offset) + 32;
  const length = integer(data.subarray(start - 32, start));
  // Beyond the data the rest is negative.
  if (length > (data.length - start) / 32) return null;
  return Array.from({ length: Number(length) }, (_, i) => integer(data.subarray(start + 32 * i, start + 32 * i + 32)));
}

// decode decodes a list of this many fields or more from RLP, which must be in its only canonical form.
function decode(what, bytes, fields) {
  let list;
  try {
    list = RLP.decode(bytes);
  } catch ({ message }) {
    fail(`${what}: ${message}`);
  }
  if (!Array.isArray(list) || list.length < fields) fail(`${what}: want a list of ${fields} fields`);
  return list;
}

// bytesOf decodes 0x and an even number of hex digits.
function bytesOf(text) {
  if (typeof text !== 'string' || text.length % 2 > 0 || !/^0x[0-9a-f]*$/i.test(text)) fail('want 0x and an even number of hex digits');
  return Uint8Array.from({ length: text.length / 2 - 1 }, (_, i) => parseInt(text.slice(2 * i + 2, 2 * i + 4), 16));
}

// answersOf returns the JSON objects of a text, one after another.
export function answersOf(text) {
  const answers = [];
  let [depth, quoted, start] = [0, false, 0];
  for (let i = 0; i < text.length; i++) {
    if (quoted && text[i] === '\\') i++;
    else if (text[i] === '"') quoted = !quoted;
    else if (!quoted && text[i] === '{') depth++;
    else if (!quoted && text[i] === '}' && --depth === 0) {
      answers.push(JSON.parse(text.slice(start, i + 1)));
      start = i + 1;
    }
  }
  if (answers.length === 0 || text.slice(start).trim() !== '') fail('want answers in JSON');
  return answers;
}

function fail(problem) {
  throw new Error(`proof: ${problem}`);
}
