package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"mintburn/internal/evm"
)

// Variables is one set of values. Each workload uses some of them, under the
// same names in every contestant.
type Variables struct {
	Block           uint64       `json:"block,omitzero"`
	Address         evm.Address  `json:"address,omitzero"`
	FromBlock       uint64       `json:"fromBlock,omitzero"`
	ToBlock         uint64       `json:"toBlock,omitzero"`
	TxAddress       evm.Address  `json:"txAddress,omitzero"`
	Tx              evm.Hash     `json:"tx,omitzero"`
	TokenAddress    evm.Address  `json:"tokenAddress,omitzero"`
	TokenID         *evm.Uint256 `json:"tokenId,omitzero"`
	MetadataAddress evm.Address  `json:"metadataAddress,omitzero"`
	After           string       `json:"after,omitzero"`
	First           int          `json:"first,omitzero"`

	Addresses []evm.Address `json:"addresses,omitzero"`
	Keys      []TokenKey    `json:"keys,omitzero"`
	FromTime  uint64        `json:"fromTime,omitzero"`
	ToTime    uint64        `json:"toTime,omitzero"`

	// The point after which After continues, for contestants with other cursors: the
	// primary key of a burn or of a collection's first mint, and the number of its page.
	// Place is the number of items before it.
	Position    int64 `json:"-"`
	Page, Place int   `json:"-"`
}

// TokenKey names a token.
type TokenKey struct {
	Address evm.Address  `json:"address"`
	TokenID *evm.Uint256 `json:"tokenId"`
}

// Workload is one kind of request.
type Workload struct {
	// Name is its column in the tables; Path is its name in addresses.
	Name, Path string
	// Document is the GraphQL document. Walk, if not empty, is one for a page of cursors,
	// which [AddCursors] sends.
	Document, Walk string
	// Sets holds the values, in the order of the requests.
	Sets []Variables
}

// The names of workloads that other packages select.
const (
	Block    = "page of a block"
	Range    = "page of a range"
	Deep     = "1,000th page"
	Tx       = "tx"
	Token    = "token"
	Metadata = "metadata"
	Total    = "total of a wide range"
	Five     = "5 operations in one document"
	Hundred  = "page of 100"
)

// The names of the workloads after the first [Main].
const (
	List        = "list"
	Time        = "time range"
	Buckets     = "buckets"
	Amounts     = "amounts"
	Tokens      = "100 tokens"
	Collection  = "collection"
	Collections = "collections"
	Nested      = "collections, mints"
)

// Main is the number of workloads in the first tables, which are the same in all releases.
const Main = 9

// The fields of a page and of token metadata that a front end selects.
const (
	page = `{ cursor page limit data { tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex ` +
		`from to amount operator timestamp blockTime } }`
	token = `{ data { collectionAddress collectionType tokenId externalUrl imageData backgroundColor youtubeUrl updatedAt ` +
		`name description image animationUrl attributes { traitType value maxValue traitCount order } } }`
	byBlock  = `mints(block: $block) ` + page
	byRange  = `burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock) ` + page
	byTx     = `mints(address: $txAddress, transactionHash: $tx) ` + page
	byToken  = `burns(address: $tokenAddress, tokenId: $tokenId) ` + page
	metadata = `tokenMetadata(address: $metadataAddress, first: 1) ` + token
	amounts  = ` { state contractType minted burned supply }`
	newest   = `query($after: Cursor) { collections(after: $after) { data { address contractType mintedItems burnedItems `
	cursors  = ` { page cursor edges { cursor } }`
	// A page of cursors is as large as it may be.
	walkRange = `query($address: Address!, $fromBlock: Long!, $toBlock: Long!, $after: Cursor) { ` +
		`list: burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, after: $after, first: 1000)` + cursors + ` }`
	walkNewest = `query($after: Cursor) { list: collections(after: $after, first: 1000)` + cursors + ` }`
)

// workloads returns all workloads without their sets.
func workloads() []Workload {
	return []Workload{
		{Name: Block, Path: "block", Document: `query($block: BlockNumberOrHash!) { ` + byBlock + ` }`},
		{Name: Range, Path: "range", Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!) { ` + byRange + ` }`},
		{Name: Deep, Path: "deep", Walk: walkRange, Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!, $after: Cursor) { ` +
			`burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, after: $after) ` + page + ` }`},
		{Name: Tx, Path: "tx", Document: `query($txAddress: Address!, $tx: Bytes32!) { ` + byTx + ` }`},
		{Name: Token, Path: "token", Document: `query($tokenAddress: Address!, $tokenId: BigInt!) { ` + byToken + ` }`},
		{Name: Metadata, Path: "metadata", Document: `query($metadataAddress: Address!) { ` + metadata + ` }`},
		{Name: Total, Path: "total", Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!) { ` +
			`mints(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, first: 0) { totalItems } }`},
		{Name: Five, Path: "five", Document: `query($block: BlockNumberOrHash!, $address: Address!, $fromBlock: Long!, $toBlock: Long!, ` +
			`$txAddress: Address!, $tx: Bytes32!, $tokenAddress: Address!, $tokenId: BigInt!, $metadataAddress: Address!) { ` +
			`byBlock: ` + byBlock + ` byRange: ` + byRange + ` byTx: ` + byTx + ` byToken: ` + byToken + ` metadata: ` + metadata + ` }`},
		{Name: Hundred, Path: "hundred", Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!, $first: Int!) { ` +
			`burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, first: $first) ` + page + ` }`},
		{Name: List, Path: "list", Document: `query($addresses: [Address!]!) { burns(addresses: $addresses) ` + page + ` }`},
		{Name: Time, Path: "time", Document: `query($address: Address!, $fromTime: Long!, $toTime: Long!) { ` +
			`burns(address: $address, fromTime: $fromTime, toTime: $toTime) ` + page + ` }`},
		{Name: Buckets, Path: "buckets", Document: `query($address: Address!, $fromTime: Long!, $toTime: Long!) { ` +
			`mints(address: $address, fromTime: $fromTime, toTime: $toTime, first: 0) { buckets(interval: HOUR) { fromTime totalItems } } }`},
		{Name: Amounts, Path: "amounts", Document: `query($tokenAddress: Address!, $tokenId: BigInt!) { ` +
			`token(address: $tokenAddress, tokenId: $tokenId)` + amounts + ` }`},
		{Name: Tokens, Path: "tokens", Document: `query($keys: [TokenKey!]!) { tokens(keys: $keys)` + amounts + ` }`},
		{Name: Collection, Path: "collection", Document: `query($address: Address!) { collection(address: $address) ` +
			`{ contractType mintedItems burnedItems supply } }`},
		{Name: Collections, Path: "collections", Walk: walkNewest, Document: newest + `} } }`},
		{Name: Nested, Path: "nested", Walk: walkNewest, Document: newest + `mints(first: 3) { data { tokenId to transactionHash timestamp } } } } }`},
	}
}

// Body returns the request of a set as clients send it.
func (w *Workload) Body(v Variables) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"query": w.Document, "variables": v})
	if err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	return body, nil
}

// Varying appends a request to dst. last is the number of its last block, which the
// caller varies with each request.
type Varying func(dst []byte, last uint64) []byte

// Unseen returns the request of a set in the form of clients that write values into the
// document.
func (w *Workload) Unseen(v Variables) (Varying, error) {
	return Inline(w.Document, v.Literals())
}

// Literals returns the values by name, in the notation of both JSON and GraphQL.
func (v Variables) Literals() (literals map[string]json.RawMessage) {
	// Numbers and texts can always be encoded.
	text, _ := json.Marshal(v)
	_ = json.Unmarshal(text, &literals)
	return literals
}

var variable = regexp.MustCompile(`\$\w+`)

// Inline writes values into a document, and returns the request, which varies in place
// of $toBlock.
func Inline(document string, literals map[string]json.RawMessage) (Varying, error) {
	text := variable.ReplaceAllStringFunc(document[strings.Index(document, "{"):], func(name string) string {
		if literal, known := literals[name[1:]]; known && name != "$toBlock" {
			return string(literal)
		}
		return name
	})
	body, err := json.Marshal(map[string]any{"query": text})
	if err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	before, after, found := bytes.Cut(body, []byte("$toBlock"))
	if !found {
		return nil, fmt.Errorf("no last block to vary in %s", document)
	}
	return func(dst []byte, last uint64) []byte {
		return append(strconv.AppendUint(append(dst, before...), last, 10), after...)
	}, nil
}
