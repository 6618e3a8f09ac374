// Writes an era1 archive with @ethereumjs/e2store, from lines of JSON with the hash and the RLP of
// a block as hexadecimal texts: hash, header, body, receipts.
import { formatEra1 } from '@ethereumjs/e2store'
import { text } from 'node:stream/consumers'

const bytes = (hex) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
const tuples = []
const records = []
for (const line of (await text(process.stdin)).trim().split('\n')) {
  const block = JSON.parse(line)
  const totalDifficulty = BigInt(tuples.length)
  tuples.push({ header: bytes(block.header), body: bytes(block.body), receipts: bytes(block.receipts), totalDifficulty })
  records.push({ blockHash: bytes(block.hash), totalDifficulty })
}
process.stdout.write(await formatEra1(tuples, records, 0))
