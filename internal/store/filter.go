package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
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
	Lists
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

// tagged reports whether a tag names the filter's block.
func (f *Filter) tagged() bool { return f.Block != nil && f.Block.Tag != "" }

// timed reports whether the filter narrows to a range of times.
func (f *Filter) timed() bool { return f.FromTime != nil || f.ToTime != nil }

// ranged reports whether the filter narrows to a range of blocks.
func (f *Filter) ranged() bool {
	return f.FromBlock != nil || f.ToBlock != nil || f.timed() || f.Finality == Finalized
}

// Check returns an error for invalid values, and for combinations without an index.
func (f *Filter) Check() error {
	ranged, accepted := isAccepted[f.selectors()]
	switch {
	case !accepted, f.ranged() && !ranged:
		got := f.selectors().String()
		if f.ranged() {
			got += " with a range"
		}
		return apierror.Errorf(apierror.BadUserInput, "filters: got %s, want %s", got, acceptedFilters)
	case f.FromBlock != nil && f.ToBlock != nil && *f.FromBlock > *f.ToBlock:
		return apierror.Errorf(apierror.BadUserInput, "fromBlock: got %d, want at most toBlock, which is %d", *f.FromBlock, *f.ToBlock)
	case f.FromTime != nil && f.ToTime != nil && *f.FromTime > *f.ToTime:
		return apierror.Errorf(apierror.BadUserInput, "fromTime: got %d, want at most toTime, which is %d", *f.FromTime, *f.ToTime)
	case f.Finality != "" && f.Finality != Latest && f.Finality != Finalized:
		return apierror.Errorf(apierror.BadUserInput, "unknown finality: want LATEST or FINALIZED")
	case f.Order != "" && f.Order != Asc && f.Order != Desc:
		return apierror.Errorf(apierror.BadUserInput, "unknown order: want ASC or DESC")
	}
	if n := f.size(); n > apierror.MaxValues {
		return apierror.TooManyValues((f.selectors() & argLists).String(), n)
	}
	return nil
}

// Fingerprint identifies the filter and order within a cursor. A block is passed by
// number, so that the cursors of a block's number and of its hash are the same.
func (f *Filter) Fingerprint(block *uint64) uint64 {
	// One buffer, because each slice passed to the hash is allocated. Few filters need more.
	b := make([]byte, 0, 80)
	mark := func(tag byte) { b = append(b, tag, 0) }
	number := func(tag byte, n uint64) { b = binary.BigEndian.AppendUint64(append(b, tag, 8), n) }
	number('k', uint64(f.Kind))
	if f.Order == Desc {
		mark('d')
	}
	if block != nil {
		number('b', *block)
	}
	b = f.identify(b, ^argLists)
	if f.FromBlock != nil {
		number('f', uint64(*f.FromBlock))
	}
	if f.ToBlock != nil {
		number('u', uint64(*f.ToBlock))
	}
	if f.FromTime != nil {
		number('F', uint64(*f.FromTime))
	}
	if f.ToTime != nil {
		number('U', uint64(*f.ToTime))
	}
	if f.Finality == Finalized {
		// Without the finalized block, so that cursors stay valid as it advances.
		mark('z')
	}
	return cursor.Fingerprint(f.identify(b, argLists))
}

// selectors is a set of filter arguments other than the block range.
type selectors uint16

const (
	argBlock selectors = 1 << iota
	argAddress
	argTokenID
	argTransactionHash
	argAccount
	argAddresses
	argTransactionHashes
	argAccounts
	argTokens
)

// argLists are the arguments that accept a list of values.
const argLists = argAddresses | argTransactionHashes | argAccounts | argTokens

// selector is a filter argument other than the block range.
type selector struct {
	name string
	// given reports whether the argument is set.
	given func(*Filter) bool
	// identify appends the input of a fingerprint for each value of a set argument. A block is
	// identified by its number instead.
	identify func(*Filter, []byte) []byte
	// size returns the number of values of a list, and sort sorts them and removes duplicates.
	size func(*Filter) int
	sort func(*Filter)
}

// selectorList has all selectors, in the order of their bits.
var selectorList = [...]selector{
	{name: "block", given: func(f *Filter) bool { return f.Block != nil }, identify: func(_ *Filter, b []byte) []byte { return b }},
	one("address", 'c', func(f *Filter) *evm.Address { return f.Address }, appendAddress),
	one("tokenId", 't', func(f *Filter) *evm.Uint256 { return f.TokenID }, func(b []byte, id evm.Uint256) []byte { return append(b, id.Bytes()...) }),
	one("transactionHash", 'x', func(f *Filter) *evm.Hash { return f.TransactionHash }, appendHash),
	one("account", 'a', func(f *Filter) *evm.Address { return f.Account }, appendAddress),
	many("addresses", 'C', func(f *Filter) *[]evm.Address { return &f.Addresses }, compareAddresses, appendAddress),
	many("transactionHashes", 'X', func(f *Filter) *[]evm.Hash { return &f.TransactionHashes }, func(a, b evm.Hash) int { return bytes.Compare(a[:], b[:]) }, appendHash),
	many("accounts", 'A', func(f *Filter) *[]evm.Address { return &f.Accounts }, compareAddresses, appendAddress),
	many("tokens", 'T', func(f *Filter) *[]nft.TokenKey { return &f.Tokens }, func(a, b nft.TokenKey) int {
		return cmp.Or(compareAddresses(a.Contract, b.Contract), bytes.Compare(a.TokenID.Bytes(), b.TokenID.Bytes()))
	}, func(b []byte, key nft.TokenKey) []byte {
		return append(appendAddress(b, key.Contract), key.TokenID.Bytes()...)
	}),
}

func appendAddress(b []byte, a evm.Address) []byte { return append(b, a[:]...) }

func appendHash(b []byte, h evm.Hash) []byte { return append(b, h[:]...) }

func compareAddresses(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) }

// one returns the selector of a single value. tag marks it in a fingerprint.
func one[T any](name string, tag byte, of func(*Filter) *T, add func([]byte, T) []byte) selector {
	return selector{name: name, given: func(f *Filter) bool { return of(f) != nil }, identify: func(f *Filter, b []byte) []byte {
		return field(b, tag, *of(f), add)
	}}
}

// many returns the selector of a list. Its values must be sorted before they identify it.
func many[T comparable](name string, tag byte, of func(*Filter) *[]T, compare func(a, b T) int, add func([]byte, T) []byte) selector {
	return selector{
		name: name, given: func(f *Filter) bool { return *of(f) != nil }, size: func(f *Filter) int { return len(*of(f)) },
		sort: func(f *Filter) { *of(f) = set(*of(f), compare) },
		identify: func(f *Filter, b []byte) []byte {
			for _, value := range *of(f) {
				b = field(b, tag, value, add)
			}
			return b
		},
	}
}

// field appends a tag, the length of a value, and the value.
func field[T any](b []byte, tag byte, value T, add func([]byte, T) []byte) []byte {
	b = append(b, tag, 0)
	begin := len(b)
	b = add(b, value)
	b[begin-1] = byte(len(b) - begin)
	return b
}

// set returns a sorted copy of a list without duplicates; nil stays nil.
func set[T comparable](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// selectors returns the arguments that are set.
func (f *Filter) selectors() (set selectors) {
	for i := range selectorList {
		if selectorList[i].given(f) {
			set |= 1 << i
		}
	}
	return set
}

// Sort sorts the lists and removes duplicates, which [Filter.Fingerprint] needs.
func (f *Filter) Sort() {
	for i := range selectorList {
		if argLists&(1<<i) != 0 {
			selectorList[i].sort(f)
		}
	}
}

// listed reports whether a list is set.
func (f *Filter) listed() bool { return f.selectors()&argLists != 0 }

// nothing reports whether the filter has an empty list, which selects nothing.
func (f *Filter) nothing() bool { return f.listed() && f.size() == 0 }

// size returns the number of values of the list. At most one of the lists is set.
func (f *Filter) size() (n int) {
	for i := range selectorList {
		if argLists&(1<<i) != 0 {
			n += selectorList[i].size(f)
		}
	}
	return n
}

// identify appends the values of the selectors among these that are set, and a mark for an empty list.
func (f *Filter) identify(b []byte, among selectors) []byte {
	if among == argLists && f.nothing() {
		b = append(b, '0', 0)
	}
	among &= f.selectors()
	for i := range selectorList {
		if among&(1<<i) != 0 {
			b = selectorList[i].identify(f, b)
		}
	}
	return b
}

// String joins the argument names with "and".
func (s selectors) String() string {
	var list []string
	for i := range selectorList {
		if s&(1<<i) != 0 {
			list = append(list, selectorList[i].name)
		}
	}
	return strings.Join(list, " and ")
}

// combination is a filter that is accepted alone or combined with one of the sets in with.
type combination struct {
	filter selectors
	with   []selectors
}

// ranged reports whether a range of blocks or times and finality may narrow the filter.
func (c combination) ranged() bool { return c.filter != argBlock }

// combinations are the accepted filters, each backed by an index. The error for any other
// filter lists them. Tests check docs/api.md and the schema against them.
var combinations = []combination{
	{0, nil},
	{argAddress, []selectors{argTokenID, argAccount, argAccounts}},
	{argAddresses, []selectors{argAccount}},
	{argAccount, nil},
	{argAccounts, nil},
	{argTransactionHash, []selectors{argAddress, argAddress | argTokenID}},
	{argTransactionHashes, nil},
	{argTokens, nil},
	{argBlock, []selectors{argAddress, argAddress | argTokenID, argAccount, argAddresses}},
}

// acceptedFilters lists the combinations for the error of [Filter.Check].
var acceptedFilters = func() string {
	var list []string
	for _, c := range combinations {
		text := c.filter.String()
		if c.filter == 0 {
			text = "no filter"
		}
		for i, with := range c.with {
			text += [...]string{" alone or with ", ", "}[min(i, 1)] + with.String()
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ") + "; all except block also with fromBlock, toBlock, fromTime, toTime and finality"
}()

// isAccepted maps each accepted set of arguments to whether a block range may narrow it.
var isAccepted = func() map[selectors]bool {
	sets := map[selectors]bool{}
	for _, c := range combinations {
		sets[c.filter] = c.ranged()
		for _, with := range c.with {
			sets[c.filter|with] = c.ranged()
		}
	}
	return sets
}()
