package store

import (
	"bytes"
	"cmp"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Lists are the arguments of a filter that accept several values. Nil does not filter;
// an empty list selects nothing. The order of the values and duplicates do not matter.
type Lists struct {
	// Addresses restrict to collections.
	Addresses []evm.Address
	// TransactionHashes restrict to transactions.
	TransactionHashes []evm.Hash
	// Accounts restrict to receivers of mints or senders of burns.
	Accounts []evm.Address
	// Tokens restrict to tokens.
	Tokens []nft.TokenKey
}

// Sets returns the lists sorted and without duplicates, which [Filter.Fingerprint] needs.
func (l *Lists) Sets() *Lists {
	return &Lists{
		Addresses:         set(l.Addresses, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) }),
		TransactionHashes: set(l.TransactionHashes, func(a, b evm.Hash) int { return bytes.Compare(a[:], b[:]) }),
		Accounts:          set(l.Accounts, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) }),
		Tokens: set(l.Tokens, func(a, b nft.TokenKey) int {
			return cmp.Or(bytes.Compare(a.Contract[:], b.Contract[:]), bytes.Compare(a.TokenID.Bytes(), b.TokenID.Bytes()))
		}),
	}
}

// set returns a sorted copy of a list without duplicates; nil stays nil.
func set[T comparable](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// nothing reports whether a list is empty.
func (l *Lists) nothing() bool {
	return l != nil && (l.Addresses != nil && len(l.Addresses) == 0 || l.TransactionHashes != nil && len(l.TransactionHashes) == 0 ||
		l.Accounts != nil && len(l.Accounts) == 0 || l.Tokens != nil && len(l.Tokens) == 0)
}

// size returns the number of values. At most one of the lists is set.
func (l *Lists) size() int {
	return len(l.Addresses) + len(l.TransactionHashes) + len(l.Accounts) + len(l.Tokens)
}

// identify appends the input of a fingerprint: each value, or a mark for an empty list.
func (l *Lists) identify(b []byte) []byte {
	field := func(tag byte, value ...byte) { b = append(append(b, tag, byte(len(value))), value...) }
	if l.nothing() {
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
	return b
}
