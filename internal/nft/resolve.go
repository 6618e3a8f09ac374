package nft

import "mintburn/internal/evm"

// Refresh is a metadata-update event: MetadataUpdate or BatchMetadataUpdate
// (EIP-4906), or URI (ERC-1155). The documents of its tokens may have changed.
type Refresh struct {
	// Contract is the collection, the event's emitter.
	Contract evm.Address
	// First and Last bound the token ids, inclusive.
	First, Last evm.Uint256
	// LogIndex is the event's index in its block.
	LogIndex uint32
}

// Task is a token whose document a worker fetches.
type Task struct {
	TokenKey
	// Type determines whether tokenURI or uri is called first.
	Type ContractType
	// Attempts is the number of failed attempts since the last success.
	Attempts int
	// Due is the token's place in the queue: lower ones go first.
	Due int64
	// Lease distinguishes this task from others of the same token.
	Lease int64
}

// Resolution is the result of a [Task].
type Resolution struct {
	Task
	// At is the time of the attempt in Unix seconds, UTC.
	At uint64
	// URI is the URI that the contract returned, or empty.
	URI string
	// Document is the token's metadata, or nil if there is none.
	Document *TokenMetadata
	// Problem is one line for people that explains why there is no document. It is
	// empty if there is one, or if the token was not tried and waits until NextAt.
	Problem string
	// NextAt is the time of the next fetch in Unix seconds, UTC. 0 means that
	// only an event triggers one.
	NextAt uint64
	// Picture is the document of a token whose URI leads to a picture instead, or nil. If the
	// token has no other document, Picture and PictureNextAt replace Problem and NextAt.
	Picture       *TokenMetadata
	PictureNextAt uint64
}
