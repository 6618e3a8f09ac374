package workload

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Variables are one set of values. Each workload uses some of them, under the
// same names in every contestant.
type Variables struct {
	Block           uint64 `json:"block,omitempty"`
	Address         string `json:"address,omitempty"`
	FromBlock       uint64 `json:"fromBlock,omitempty"`
	ToBlock         uint64 `json:"toBlock,omitempty"`
	TxAddress       string `json:"txAddress,omitempty"`
	Tx              string `json:"tx,omitempty"`
	TokenAddress    string `json:"tokenAddress,omitempty"`
	TokenID         string `json:"tokenId,omitempty"`
	MetadataAddress string `json:"metadataAddress,omitempty"`
	After           string `json:"after,omitempty"`
	First           int    `json:"first,omitempty"`

	// Where After continues, for contestants with cursors of their own: the
	// primary key of a burn, and the number of its page. Place is how many burns
	// come before it.
	Position    int64 `json:"-"`
	Page, Place int   `json:"-"`
}

// Workload is one sort of request.
type Workload struct {
	// Name is its column in the tables; Path is the same for addresses.
	Name, Path string
	// Document is the GraphQL document.
	Document string
	// Sets are the values, in the order of the requests.
	Sets []Variables
}

// The names of workloads that are picked out by others.
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

// Fields of a page and of a token's metadata as a front end selects them.
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

// workloads returns the nine without their sets.
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

// Unseen returns the request of a set as clients send it that write values
// into the document: what comes before and after the number of the last block,
// which the caller makes another in each request.
func (w *Workload) Unseen(v Variables) (before, after []byte, err error) {
	return Inline(w.Document,
		"$block", fmt.Sprint(v.Block), "$address", Quoted(v.Address), "$fromBlock", fmt.Sprint(v.FromBlock),
		"$txAddress", Quoted(v.TxAddress), "$tx", Quoted(v.Tx), "$tokenAddress", Quoted(v.TokenAddress), "$tokenId", Quoted(v.TokenID),
		"$metadataAddress", Quoted(v.MetadataAddress))
}

// Quoted returns a string of no special characters as GraphQL writes it.
func Quoted(s string) string { return `"` + s + `"` }

// Inline writes values into a document, names and values in turn, and returns
// the request, split where $toBlock is. A name that begins with another must
// come before it.
func Inline(document string, values ...string) (before, after []byte, err error) {
	text := strings.NewReplacer(values...).Replace(document[strings.Index(document, "{"):])
	body, err := json.Marshal(map[string]any{"query": text})
	if err != nil {
		return nil, nil, fmt.Errorf("encoding a request: %w", err)
	}
	first, last, found := strings.Cut(string(body), "$toBlock")
	if !found {
		return nil, nil, fmt.Errorf("no last block to vary in %s", document)
	}
	return []byte(first), []byte(last), nil
}
