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

	// The point after which After continues, for contestants with other cursors: the
	// primary key of a burn, and the number of its page. Place is the number of burns
	// before it.
	Position    int64 `json:"-"`
	Page, Place int   `json:"-"`
}

// Workload is one kind of request.
type Workload struct {
	// Name is its column in the tables; Path is its name in addresses.
	Name, Path string
	// Document is the GraphQL document.
	Document string
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
)

// workloads returns the nine workloads without their sets.
func workloads() []Workload {
	return []Workload{
		{Name: Block, Path: "block", Document: `query($block: BlockNumberOrHash!) { ` + byBlock + ` }`},
		{Name: Range, Path: "range", Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!) { ` + byRange + ` }`},
		{Name: Deep, Path: "deep", Document: `query($address: Address!, $fromBlock: Long!, $toBlock: Long!, $after: Cursor) { ` +
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
