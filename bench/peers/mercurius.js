// Mercurius with its JIT over better-sqlite3: the workloads on the tables that
// mintburn import has filled, and on the summary that ../summary.go has made
// beside them. It has the statements of ../hand, a schema for exactly the
// workloads, and no limits.
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import mercurius from 'mercurius'

const db = new Database(process.argv[2], { readonly: true })
db.pragma('cache_size = -16000')
const sums = new Database(`${process.argv[2]}.summary`, { readonly: true })
sums.pragma('cache_size = -16000')

// SQLite makes the texts and handles 64-bit numbers. Buffers and BigInts in
// JavaScript were slower.
const hexOf = (...parts) => `'0x' || ${parts.join(' || ')}`
const tail = (column) => `lower(hex(${column}))`
const head = (column) => `format('%016x', ${column})`
// hex(NULL) is '', so a missing value must be tested for.
const orNull = (column) => `CASE WHEN ${column} IS NOT NULL THEN ${hexOf(tail(column))} END`
const columns = `SELECT CAST(t.id AS TEXT), t.id >> 30, ${hexOf(tail('c.address'))}, hex(t.token_id), ${hexOf(head('t.tx_prefix'), tail('t.tx_suffix'))},
  ${hexOf(head('t.account_prefix'), tail('t.account_suffix'))}, hex(t.amount), t.log_index, ${orNull('t.operator')},
  ${hexOf(head('b.hash_prefix'), tail('b.hash_suffix'))}, b.time`
const fromMints = `${columns}, NULL FROM mints t `
const fromBurns = `${columns}, ${orNull('t.burn_address')} FROM burns t `
const joins = ' CROSS JOIN contracts c ON c.id = t.contract_id CROSS JOIN blocks b ON b.id = t.id >> 30 '
const collected = 'WHERE t.contract_id = (SELECT id FROM contracts WHERE address = ?) AND '
const page = (sql) => db.prepare(`${sql} ORDER BY t.id LIMIT ?`).raw()
const byBlock = page(`${fromMints}${joins}WHERE t.id >= ? AND t.id < ?`)
const byRange = page(`${fromBurns}INDEXED BY burns_contract${joins}${collected}t.id >= ? AND t.id < ?`)
const byTx = page(`${fromMints}INDEXED BY mints_tx${joins}WHERE t.tx_prefix = ? AND t.tx_suffix = ? AND c.address = ?`)
const byToken = page(`${fromBurns}INDEXED BY burns_token${joins}${collected}t.token_id = ?`)
const byTime = page(`${fromBurns}INDEXED BY burns_contract${joins}${collected}t.id >= (SELECT id << 30 FROM blocks WHERE time >= ? ORDER BY time, id LIMIT 1)
  AND t.id < (SELECT id + 1 << 30 FROM blocks WHERE time <= ? ORDER BY time DESC, id DESC LIMIT 1)`)
// A scan in chain order would be twice as fast with the large collections of
// the benchmark, and read the whole table for small ones.
const byList = page(`${fromBurns}${joins}WHERE t.id IN (
  SELECT f.id FROM contracts k CROSS JOIN burns f INDEXED BY burns_contract ON f.contract_id = k.id AND f.id <= COALESCE(
    (SELECT id FROM burns INDEXED BY burns_contract WHERE contract_id = k.id ORDER BY id LIMIT 1 OFFSET 20), 1 << 62)
  WHERE k.address IN (SELECT unhex(substr(value, 3)) FROM json_each(?)) ORDER BY f.id LIMIT 21)`)
const byHour = db.prepare(`SELECT b.time / 3600 * 3600 AS hour, SUM(n) FROM
  (SELECT id >> 30 AS block, COUNT(*) AS n FROM mints INDEXED BY mints_contract WHERE contract_id = (SELECT id FROM contracts WHERE address = ?)
  GROUP BY 1) CROSS JOIN blocks b ON b.id = block WHERE b.time >= ? AND b.time <= ? GROUP BY 1`).raw()
const earliest = db.prepare(`SELECT k.key, hex(t.token_id) AS tokenId, ${hexOf(head('t.account_prefix'), tail('t.account_suffix'))} AS "to",
  ${hexOf(head('t.tx_prefix'), tail('t.tx_suffix'))} AS transactionHash, b.time AS timestamp
  FROM json_each(?) k CROSS JOIN contracts c ON c.address = unhex(substr(k.value, 3))
  CROSS JOIN mints t INDEXED BY mints_contract ON t.contract_id = c.id
  AND t.id <= COALESCE((SELECT id FROM mints INDEXED BY mints_contract WHERE contract_id = c.id ORDER BY id LIMIT 1 OFFSET ?), 1 << 62)
  CROSS JOIN blocks b ON b.id = t.id >> 30`)
const columnsOfToken = 'SELECT state, contract_type AS contractType, minted, burned, supply FROM'
const byKey = sums.prepare(`${columnsOfToken} amounts WHERE address = ? AND token_id = ?`)
const byKeys = sums.prepare(`${columnsOfToken} json_each(?) k CROSS JOIN amounts a ON a.address = k.value ->> 'address' AND a.token_id = k.value ->> 'tokenId' ORDER BY k.key`)
const columnsOfCollection = 'SELECT address, contract_type AS contractType, minted_items AS mintedItems, burned_items AS burnedItems, supply FROM collections'
const byAddress = sums.prepare(`${columnsOfCollection} WHERE address = ?`)
const newest = sums.prepare(`${columnsOfCollection} WHERE first_position < ? ORDER BY first_position DESC LIMIT 20`)
const count = db.prepare(`SELECT COUNT(*) FROM mints
  WHERE contract_id = (SELECT id FROM contracts WHERE address = ?) AND id >= ? AND id < ?`).pluck()
const firstToken = db.prepare(`SELECT c.id AS contractId, c.address, c.standards, t.* FROM tokens t JOIN contracts c ON c.id = t.contract_id
  WHERE t.contract_id = (SELECT id FROM contracts WHERE address = ?) ORDER BY t.token_id LIMIT 1`)
const traits = db.prepare('SELECT trait, distinct_values FROM traits WHERE contract_id = ?').raw()

const schema = `
  scalar Address
  scalar BigInt
  scalar BlockNumberOrHash
  scalar Bytes32
  scalar Cursor
  scalar Long
  type Query {
    mints(block: BlockNumberOrHash, address: Address, transactionHash: Bytes32, fromBlock: Long, toBlock: Long, fromTime: Long, toTime: Long, first: Int): Page!
    burns(address: Address, addresses: [Address!], tokenId: BigInt, fromBlock: Long, toBlock: Long, fromTime: Long, toTime: Long, first: Int, after: Cursor): Page!
    tokenMetadata(address: Address!, first: Int): Tokens!
    token(address: Address!, tokenId: BigInt!): Amounts
    tokens(keys: [TokenKey!]!): [Amounts]!
    collection(address: Address!): Collection
    collections(after: Cursor): Collections!
  }
  input TokenKey { address: Address! tokenId: BigInt! }
  enum Interval { HOUR }
  type Page { cursor: Cursor page: Int! limit: Int! totalItems: Long! data: [Transfer!]! buckets(interval: Interval!): [Bucket!]! }
  type Bucket { fromTime: Long! totalItems: Long! }
  type Amounts { state: String! contractType: String! minted: BigInt! burned: BigInt! supply: BigInt }
  type Collections { data: [Collection!]! }
  type Collection {
    address: Address! contractType: String! mintedItems: Long! burnedItems: Long! supply: BigInt
    mints(first: Int): Page!
  }
  type Transfer {
    tokenAddress: Address! contractType: String! tokenId: BigInt! blockHash: Bytes32! blockNumber: Long! transactionHash: Bytes32!
    logIndex: Int! from: Address! to: Address! amount: BigInt! operator: Address timestamp: Long! blockTime: Long!
  }
  type Tokens { data: [Token!]! }
  type Token {
    collectionAddress: Address! collectionType: String! tokenId: BigInt! externalUrl: String imageData: String
    backgroundColor: String youtubeUrl: String updatedAt: Long! name: String description: String image: String
    animationUrl: String attributes: [Attribute!]!
  }
  type Attribute { traitType: String! value: String! maxValue: Float traitCount: Long! order: Long! }`

const slots = 1n << 30n
const zero = '0x0000000000000000000000000000000000000000'
const first = (block) => BigInt(block) * slots
const bytes = (hex) => Buffer.from(hex.slice(2), 'hex')
const hex = (blob) => `0x${blob.toString('hex')}`
// An integer is stored as a byte with its length and then its bytes.
const integer = (text) => {
  if (text.length <= 2) return '0'
  return text.length <= 14 ? String(parseInt(text.slice(2), 16)) : BigInt(`0x${text.slice(2)}`).toString()
}
const integerBytes = (text) => {
  const digits = BigInt(text).toString(16)
  const value = digits === '0' ? Buffer.alloc(0) : Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([value.length]), value])
}

function transfer(row, minted) {
  return {
    tokenAddress: row[2],
    contractType: row[8] ? 'ERC1155' : 'ERC721',
    tokenId: integer(row[3]),
    blockHash: row[9],
    blockNumber: row[1],
    transactionHash: row[4],
    logIndex: row[7],
    from: minted ? zero : row[5],
    to: minted ? row[5] : row[11] ?? zero,
    amount: integer(row[6]),
    operator: row[8],
    timestamp: row[10],
    blockTime: row[10]
  }
}

function read(statement, minted, number, limit, ...args) {
  const rows = statement.all(...args, limit + 1)
  const more = rows.length > limit
  if (more) rows.pop()
  return {
    cursor: more ? `${number}:${rows[limit - 1][0]}` : null,
    page: number,
    limit,
    data: rows.map((row) => transfer(row, minted))
  }
}

function mints(_, args) {
  if (args.block !== undefined) return read(byBlock, true, 1, 20, first(args.block), first(args.block) + slots)
  if (args.transactionHash !== undefined) {
    const hash = bytes(args.transactionHash)
    return read(byTx, true, 1, 20, hash.readBigInt64BE(), hash.subarray(8), bytes(args.address))
  }
  if (args.fromTime !== undefined) return { buckets: buckets(args) }
  return { totalItems: count.get(bytes(args.address), first(args.fromBlock), first(args.toBlock) + slots) }
}

function buckets(args) {
  const counts = new Map(byHour.all(bytes(args.address), args.fromTime, args.toTime))
  const list = []
  for (let hour = args.fromTime - args.fromTime % 3600; hour <= args.toTime; hour += 3600) {
    list.push({ fromTime: hour, totalItems: counts.get(hour) ?? 0 })
  }
  return list
}

const token = (_, args) => byKey.get(args.address, args.tokenId)
const tokens = (_, args) => byKeys.all(JSON.stringify(args.keys))
const collection = (_, args) => byAddress.get(args.address)
const collections = (_, args) => ({ data: newest.all(BigInt(args.after.split(':')[1])) })

// The mints of all collections of a page come from one statement.
const mintsOf = {
  async loader(queries) {
    const pages = queries.map(() => ({ data: [] }))
    for (const mint of earliest.all(JSON.stringify(queries.map((query) => query.obj.address)), queries[0].params.first - 1)) {
      mint.tokenId = integer(mint.tokenId)
      pages[mint.key].data.push(mint)
    }
    return pages
  },
  opts: { cache: false }
}

function burns(_, args) {
  if (args.addresses !== undefined) return read(byList, false, 1, 20, JSON.stringify(args.addresses))
  const address = bytes(args.address)
  if (args.tokenId !== undefined) return read(byToken, false, 1, 20, address, integerBytes(args.tokenId))
  if (args.fromTime !== undefined) return read(byTime, false, 1, 20, address, args.fromTime, args.toTime)
  let from = first(args.fromBlock)
  let number = 1
  if (args.after) {
    const [page, position] = args.after.split(':')
    from = BigInt(position) + 1n
    number = Number(page) + 1
  }
  return read(byRange, false, number, args.first ?? 20, address, from, first(args.toBlock) + slots)
}

function tokenMetadata(_, args) {
  const t = firstToken.get(bytes(args.address))
  const counts = new Map(traits.all(t.contractId).map(([trait, n]) => [trait.toString('hex'), n]))
  const count = (trait) => counts.get(createHash('sha256').update(trait).digest('hex').slice(0, 32))
  return {
    data: [{
      collectionAddress: hex(t.address),
      collectionType: t.standards === 2 ? 'ERC1155' : 'ERC721',
      tokenId: integer(t.token_id.toString('hex')),
      externalUrl: t.external_url,
      imageData: t.image_data,
      backgroundColor: t.background_color,
      youtubeUrl: t.youtube_url,
      updatedAt: t.updated_at,
      name: t.name,
      description: t.description,
      image: t.image,
      animationUrl: t.animation_url,
      attributes: JSON.parse(t.attributes).map((a) => ({
        traitType: a.trait_type,
        value: a.value,
        maxValue: a.max_value,
        traitCount: count(a.trait_type),
        order: a.order
      }))
    }]
  }
}

const app = Fastify()
app.register(mercurius, {
  schema,
  resolvers: { Query: { mints, burns, tokenMetadata, token, tokens, collection, collections } },
  loaders: { Collection: { mints: mintsOf } },
  jit: 1
})
await app.listen({ host: '127.0.0.1', port: 0 })
console.error(`serving http://127.0.0.1:${app.server.address().port}`)
process.on('SIGTERM', () => app.close())
