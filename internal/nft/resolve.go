package nft

import "mintburn/internal/evm"

// Refresh is the word of a collection that the documents of some tokens may
// have changed: MetadataUpdate and BatchMetadataUpdate (EIP-4906), or URI
// (ERC-1155).
type Refresh struct {
	// Contract is the collection, the event's emitter.
	Contract evm.Address
	// First and Last bound the token ids, both included.
	First, Last evm.Uint256
	// LogIndex is the event's place in its block.
	LogIndex uint32
}

// Task is a token whose document is to be fetched.
type Task struct {
	TokenKey
	// Type decides how the contract is asked: tokenURI or uri.
	Type ContractType
	// Attempts is how many tries have failed since the last that did not.
	Attempts int
	// Lease tells the queue which of its tasks for the token this is.
	Lease int64
}

// Resolution is what came of a [Task].
type Resolution struct {
	Task
	// At is the time of the try in Unix seconds, UTC.
	At uint64
	// URI is what the contract returned; empty where it was not learned.
	URI string
	// Document is the token's metadata, or nil when there is none to be had.
	Document *TokenMetadata
	// Problem is why there is no document, one line for people; empty when
	// there is one.
	Problem string
	// NextAt is when the document is to be fetched again, in Unix seconds, UTC;
	// 0 means when an event says so.
	NextAt uint64
}
