package store

import (
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Order is the direction of a page.
type Order string

// The orders; the values are those of the GraphQL enum Order. The zero value
// means Asc.
const (
	Asc  Order = "ASC"  // oldest first
	Desc Order = "DESC" // newest first
)

// Finality says which blocks a filter includes.
type Finality string

// The values of the GraphQL enum Finality. The zero value means Latest.
const (
	Latest    Finality = "LATEST"    // all indexed blocks
	Finalized Finality = "FINALIZED" // indexed blocks up to the finalized block
)

// Filter selects mints or burns. A nil field does not filter.
type Filter struct {
	// Kind is the kind of records.
	Kind nft.Kind
	// Block restricts to one block.
	Block *evm.BlockNumberOrHash
	// Address restricts to a collection.
	Address *evm.Address
	// TokenID restricts to a token of the collection.
	TokenID *evm.Uint256
	// TransactionHash restricts to a transaction.
	TransactionHash *evm.Hash
	// Account restricts to the receiver of a mint or the sender of a burn.
	Account *evm.Address
	// Addresses restrict to collections, TransactionHashes to transactions, Accounts to receivers of
	// mints or senders of burns, and Tokens to tokens. An empty list selects nothing. The order of the
	// values and duplicates do not matter.
	Addresses         []evm.Address
	TransactionHashes []evm.Hash
	Accounts          []evm.Address
	Tokens            []nft.TokenKey
	// FromBlock and ToBlock narrow to a range, inclusive at both ends.
	FromBlock, ToBlock *evm.Long
	// FromTime and ToTime narrow to the blocks of a range of times, in Unix seconds,
	// inclusive at both ends.
	FromTime, ToTime *evm.Long
	// Finality may narrow to the finalized blocks.
	Finality Finality
	// Order is the direction.
	Order Order
	// Partial accepts a result from the indexed blocks that missing blocks might
	// change; otherwise that is an error.
	Partial bool
}

// tagged reports whether a tag names the filter's block.
func (f *Filter) tagged() bool { return f.Block != nil && f.Block.Tag != "" }

// timed reports whether the filter narrows to a range of times.
func (f *Filter) timed() bool { return f.FromTime != nil || f.ToTime != nil }

// ranged reports whether the filter narrows to a range of blocks.
func (f *Filter) ranged() bool {
	return f.FromBlock != nil || f.ToBlock != nil || f.timed() || f.Finality == Finalized
}

// bounds names the arguments of the filter's range.
func (f *Filter) bounds() string {
	var list []string
	for name, given := range map[string]bool{"fromBlock": f.FromBlock != nil, "toBlock": f.ToBlock != nil, "fromTime": f.FromTime != nil, "toTime": f.ToTime != nil, "finality": f.Finality == Finalized} {
		if given {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " and ")
}
