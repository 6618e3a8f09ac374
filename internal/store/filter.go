package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"

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

// Filter selects mints or burns. A nil field does not filter.
type Filter struct {
	// Kind is what is listed.
	Kind nft.Kind
	// Block restricts to one block.
	Block *evm.BlockNumberOrHash
	// Address restricts to a collection.
	Address *evm.Address
	// TokenID restricts to a token of the collection.
	TokenID *evm.Uint256
	// TransactionHash restricts to a transaction.
	TransactionHash *evm.Hash
	// Account restricts to who received a mint or sent a burn.
	Account *evm.Address
	// Lists restrict to any of several values; nil does not filter.
	Lists *Lists
	// FromBlock and ToBlock narrow to a range, inclusive at both ends.
	FromBlock, ToBlock *evm.Long
	// Order is the direction.
	Order Order
	// Partial accepts an answer of the indexed blocks alone where others may
	// have a part in it; otherwise that is an error.
	Partial bool
}

// Lists are the arguments of a filter that have several values. Nil does not filter;
// an empty list selects nothing. The order of the values and their repetition have no
// meaning.
type Lists struct {
	// Addresses restrict to collections.
	Addresses []evm.Address
	// TransactionHashes restrict to transactions.
	TransactionHashes []evm.Hash
	// Accounts restrict to who received a mint or sent a burn.
	Accounts []evm.Address
	// Tokens restrict to tokens.
	Tokens []nft.TokenKey
}

// sets returns the lists with their values in order, each once.
func (l *Lists) sets() *Lists {
	if l == nil {
		return nil
	}
	return &Lists{
		Addresses:         set(l.Addresses, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) }),
		TransactionHashes: set(l.TransactionHashes, func(a, b evm.Hash) int { return bytes.Compare(a[:], b[:]) }),
		Accounts:          set(l.Accounts, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) }),
		Tokens: set(l.Tokens, func(a, b nft.TokenKey) int {
			return cmp.Or(bytes.Compare(a.Contract[:], b.Contract[:]), bytes.Compare(a.TokenID.Bytes(), b.TokenID.Bytes()))
		}),
	}
}

// set returns a copy of a list that is sorted and has each value once; nil stays nil.
func set[T comparable](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// nothing reports whether the filter has an empty list.
func (f *Filter) nothing() bool {
	l := f.Lists
	return l != nil && (l.Addresses != nil && len(l.Addresses) == 0 || l.TransactionHashes != nil && len(l.TransactionHashes) == 0 ||
		l.Accounts != nil && len(l.Accounts) == 0 || l.Tokens != nil && len(l.Tokens) == 0)
}

// ranged reports whether the filter names a first or a last block.
func (f *Filter) ranged() bool { return f.FromBlock != nil || f.ToBlock != nil }

// fingerprint identifies the filter and order within a cursor. A block is
// given by its number, so that a block's number and hash share cursors.
func (f *Filter) fingerprint(block *uint64) uint64 {
	// All of it at once: what is handed to the hash is allocated.
	b := make([]byte, 0, 192)
	field := func(tag byte, value ...byte) { b = append(append(b, tag, byte(len(value))), value...) }
	number := func(tag byte, n uint64) { b = binary.BigEndian.AppendUint64(append(b, tag, 8), n) }
	number('k', uint64(f.Kind))
	if f.Order == Desc {
		field('d')
	}
	if block != nil {
		number('b', *block)
	}
	if f.Address != nil {
		field('c', f.Address[:]...)
	}
	if f.TokenID != nil {
		field('t', f.TokenID.Bytes()...)
	}
	if f.TransactionHash != nil {
		field('x', f.TransactionHash[:]...)
	}
	if f.Account != nil {
		field('a', f.Account[:]...)
	}
	if f.FromBlock != nil {
		number('f', uint64(*f.FromBlock))
	}
	if f.ToBlock != nil {
		number('u', uint64(*f.ToBlock))
	}
	if l := f.Lists; l != nil {
		if f.nothing() {
			field('0')
		}
		for _, a := range l.Addresses {
			field('C', a[:]...)
		}
		for _, hash := range l.TransactionHashes {
			field('X', hash[:]...)
		}
		for _, a := range l.Accounts {
			field('A', a[:]...)
		}
		for _, key := range l.Tokens {
			field('T', append(key.Contract[:], key.TokenID.Bytes()...)...)
		}
	}
	h := fnv.New64a()
	_, _ = h.Write(b)
	return h.Sum64()
}
