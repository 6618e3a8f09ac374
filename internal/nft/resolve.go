package nft

import "mintburn/internal/evm"

// Refresh is a metadata-update event: MetadataUpdate or BatchMetadataUpdate
// (EIP-4906), or URI (ERC-1155). The documents of its tokens may have changed. With First above
// Last it is ContractURIUpdated (ERC-7572): the metadata of the collection may have changed.
type Refresh struct {
	// Contract is the collection, the event's emitter.
	Contract evm.Address
	// First and Last bound the token ids, inclusive. First is above Last if the event concerns
	// the collection itself.
	First, Last evm.Uint256
	// LogIndex is the event's index in its block.
	LogIndex uint32
}

// OfCollection reports whether the event concerns the collection itself.
func (r *Refresh) OfCollection() bool { return r.First.Cmp(r.Last) > 0 }

// Task is a token, or a collection, whose document a worker fetches.
type Task struct {
	TokenKey
	// OfCollection is set if the document is that of the collection itself. TokenID and Type
	// are then zero.
	OfCollection bool
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
	// Collection is the result for a collection, or nil if it was not tried or is a token. If
	// there is a problem, it has no document.
	Collection *CollectionResult
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
