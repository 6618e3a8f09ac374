package httpapi

// The pages are the documented envelope; the fragments select every documented
// field of a record.
const (
	transferPage = `{
    cursor
    page
    limit
    totalItems
    data {
      ...Record
    }
  }
`
	metadataPage = `{
    cursor
    page
    limit
    totalItems
    data {
      ...Metadata
    }
  }
`
	transferFragment = `
fragment Record on Transfer {
  tokenAddress
  contractType
  tokenId
  blockHash
  blockNumber
  transactionHash
  logIndex
  from
  to
  amount
  operator
  timestamp
  blockTime
}
`
	metadataFragment = `
fragment Metadata on TokenMetadata {
  collectionAddress
  collectionType
  tokenId
  externalUrl
  imageData
  backgroundColor
  youtubeUrl
  updatedAt
  name
  description
  image
  animationUrl
  attributes {
    traitType
    value
    maxValue
    traitCount
    order
  }
}
`
)

const mintsByBlockQuery = `# What was minted in one block, given by number or hash.
# For the next page add "after": the cursor of this one.
query MintsByBlock(
  $block: BlockNumberOrHash!
  $first: Int
  $after: Cursor
) {
  mints(block: $block, first: $first, after: $after) ` +
	transferPage + "}\n" + transferFragment

const burnsInBlocksQuery = `# What was burned of a collection from block to block, both inclusive.
query BurnsInBlocks(
  $address: Address!
  $fromBlock: Long!
  $toBlock: Long!
  $first: Int
  $after: Cursor
) {
  burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, first: $first, after: $after) ` +
	transferPage + "}\n" + transferFragment

const mintsByTransactionQuery = `# What a transaction minted of a collection.
query MintsByTransaction(
  $address: Address!
  $transactionHash: Bytes32!
  $first: Int
  $after: Cursor
) {
  mints(address: $address, transactionHash: $transactionHash, first: $first, after: $after) ` +
	transferPage + "}\n" + transferFragment

const burnsByTokenQuery = `# When and by whom a token of a collection was burned.
query BurnsByToken(
  $address: Address!
  $tokenId: BigInt!
  $first: Int
  $after: Cursor
) {
  burns(address: $address, tokenId: $tokenId, first: $first, after: $after) ` +
	transferPage + "}\n" + transferFragment

const metadataByContractQuery = `# The metadata of a collection's tokens, by token id.
# For one token add "tokenId".
query MetadataByContract(
  $address: Address!
  $tokenId: BigInt
  $first: Int
  $after: Cursor
) {
  tokenMetadata(address: $address, tokenId: $tokenId, first: $first, after: $after) ` +
	metadataPage + "}\n" + metadataFragment

const batchQuery = `# All five operations in one request. All of them see the same state of the data.
query Batch(
  $block: BlockNumberOrHash!
  $burnAddress: Address!
  $fromBlock: Long!
  $toBlock: Long!
  $mintAddress: Address!
  $transactionHash: Bytes32!
  $tokenAddress: Address!
  $tokenId: BigInt!
  $metadataAddress: Address!
  $first: Int
) {
  mintsByBlock: mints(block: $block, first: $first) ` +
	transferPage + `  burnsInBlocks: burns(address: $burnAddress, fromBlock: $fromBlock, toBlock: $toBlock, first: $first) ` +
	transferPage + `  mintsByTransaction: mints(address: $mintAddress, transactionHash: $transactionHash, first: $first) ` +
	transferPage + `  burnsByToken: burns(address: $tokenAddress, tokenId: $tokenId, first: $first) ` +
	transferPage + `  metadataByContract: tokenMetadata(address: $metadataAddress, first: $first) ` +
	metadataPage + "}\n" + transferFragment + metadataFragment
