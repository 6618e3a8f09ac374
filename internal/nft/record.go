package nft

import "mintburn/internal/evm"

// Kind is mint or burn.
type Kind uint8

// The two kinds of record.
const (
	Mint Kind = iota
	Burn
)

// String returns "mint" or "burn".
func (k Kind) String() string {
	if k == Burn {
		return "burn"
	}
	return "mint"
}

// ContractType is a token standard, as determined by the form of a log.
type ContractType string

// The supported standards. The values are those of the GraphQL enum ContractType.
const (
	ERC721  ContractType = "ERC721"
	ERC1155 ContractType = "ERC1155"
)

// Record is one mint or burn: an amount of one token id, in one event.
type Record struct {
	// Kind is Mint or Burn.
	Kind Kind
	// Contract is the collection's contract, the log's emitter.
	Contract evm.Address
	// Type is the standard that the form of the log follows.
	Type ContractType
	// TokenID is the token's id.
	TokenID evm.Uint256
	// Amount is the number of tokens: 1 for ERC-721, the event's value for
	// ERC-1155, where it may be 0.
	Amount evm.Uint256
	// From is the sender. It is the zero address for a mint.
	From evm.Address
	// To is the receiver. For a burn it is the zero address or a configured burn
	// address.
	To evm.Address
	// Operator is the log's operator for ERC-1155. It has no meaning for ERC-721.
	Operator evm.Address
	// TxHash is the hash of the transaction.
	TxHash evm.Hash
	// TxIndex is the transaction's index in the block.
	TxIndex evm.TxIndex
	// LogIndex is the log's index in the block.
	LogIndex uint32
	// SubIndex is the position within an ERC-1155 batch or an EIP-2309 range,
	// and 0 otherwise.
	SubIndex uint32
}

// Rejected is a log of a standard event that is invalid or has too many ids.
type Rejected struct {
	// Log is the unchanged log.
	Log evm.Log
	// Reason is one of the Reason constants.
	Reason string
}

// The reasons for which a log is rejected.
const (
	ReasonTopics       = "topics"                 // the event does not have four topics
	ReasonDirtyAddress = "dirty address word"     // the upper 12 bytes of an address word are not zero
	ReasonOutside      = "outside the data"       // too few words, or an offset outside the data
	ReasonArrayOutside = "array outside the data" // an array exceeds the data
	ReasonLengths      = "lengths differ"         // ids and values have different lengths
	ReasonRange        = "range"                  // an EIP-2309 range ends before it starts
	ReasonCap          = "cap"                    // an EIP-2309 range has more ids than the cap
	ReasonBlockCap     = "block cap"              // the block's EIP-2309 ranges would have more ids than a hundred times the cap
)

// Block is a decoded block, in chain order.
type Block struct {
	// Header is the block's header.
	Header evm.Header
	// Mints and Burns are ordered by log index and sub index.
	Mints, Burns []Record
	// Rejected holds the rejected logs, by log index.
	Rejected []Rejected
	// Refreshes are the metadata-update events, by log index.
	Refreshes []Refresh
	// Transactions are the transactions of the records whose details are known, in order.
	Transactions []evm.Transaction
	// Proven is set if the header's receipts root proves that the block is complete.
	Proven bool
}

// TxHashes returns the hashes of the transactions of the records.
func (b *Block) TxHashes() map[evm.Hash]bool {
	hashes := map[evm.Hash]bool{}
	for _, records := range [...][]Record{b.Mints, b.Burns} {
		for i := range records {
			hashes[records[i].TxHash] = true
		}
	}
	return hashes
}

// TokenKey identifies a token.
type TokenKey struct {
	// Contract is the collection's contract.
	Contract evm.Address
	// TokenID is the token's id.
	TokenID evm.Uint256
}
