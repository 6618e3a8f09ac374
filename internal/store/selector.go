package store

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
)

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
	// The others are those of lists. size returns the number of values, and sort sorts them and
	// removes duplicates. add adds the values to a list, with the scopes of their counters, if they
	// have any; of contains the filter's single values and ids has the numbers of the known
	// collections, without which a value adds nothing. equal adds the equalities, in the order of an
	// index's columns.
	size  func(*Filter) int
	sort  func(*Filter)
	add   func(f *Filter, to *query.List, of counter.Filter, ids map[evm.Address]int64)
	equal func(q *query.Query, of counter.Filter)
}

// selectorList has all selectors, in the order of their bits.
var selectorList = [...]selector{
	{name: "block", given: func(f *Filter) bool { return f.Block != nil }, identify: func(_ *Filter, b []byte) []byte { return b }},
	one("address", 'c', func(f *Filter) *evm.Address { return f.Address }, appendAddress),
	one("tokenId", 't', func(f *Filter) *evm.Uint256 { return f.TokenID }, func(b []byte, id evm.Uint256) []byte { return append(b, id.Bytes()...) }),
	one("transactionHash", 'x', func(f *Filter) *evm.Hash { return f.TransactionHash }, appendHash),
	one("account", 'a', func(f *Filter) *evm.Address { return f.Account }, appendAddress),
	many("addresses", 'C', func(f *Filter) *[]evm.Address { return &f.Addresses }, compareAddresses, appendAddress,
		func(of counter.Filter, a evm.Address, ids map[evm.Address]int64) (row, bool) {
			id, known := ids[a]
			of.Contract = &id
			return row{id, nil, of}, known
		}, func(q *query.Query, of counter.Filter) {
			q.Restrict(of)
			q.Equal(mint.FieldContractID, query.ValueNumber)
		}),
	many("transactionHashes", 'X', func(f *Filter) *[]evm.Hash { return &f.TransactionHashes }, func(a, b evm.Hash) int { return bytes.Compare(a[:], b[:]) }, appendHash,
		func(of counter.Filter, h evm.Hash, _ map[evm.Address]int64) (row, bool) {
			return row{h.Prefix(), h.Suffix(), of}, true
		}, func(q *query.Query, _ counter.Filter) {
			q.Equal(mint.FieldTxPrefix, query.ValueNumber)
			q.Also(mint.FieldTxSuffix, query.ValueBytes)
		}),
	many("accounts", 'A', func(f *Filter) *[]evm.Address { return &f.Accounts }, compareAddresses, appendAddress,
		func(of counter.Filter, a evm.Address, _ map[evm.Address]int64) (row, bool) {
			of.Account = &a
			return row{a.Prefix(), a.Suffix(), of}, true
		}, func(q *query.Query, of counter.Filter) {
			q.Equal(mint.FieldAccountPrefix, query.ValueNumber)
			q.Also(mint.FieldAccountSuffix, query.ValueBytes)
			q.Restrict(of)
		}),
	many("tokens", 'T', func(f *Filter) *[]nft.TokenKey { return &f.Tokens }, func(a, b nft.TokenKey) int {
		return cmp.Or(compareAddresses(a.Contract, b.Contract), bytes.Compare(a.TokenID.Bytes(), b.TokenID.Bytes()))
	}, func(b []byte, key nft.TokenKey) []byte {
		return append(appendAddress(b, key.Contract), key.TokenID.Bytes()...)
	}, func(of counter.Filter, key nft.TokenKey, ids map[evm.Address]int64) (row, bool) {
		id, known := ids[key.Contract]
		of.Contract, of.Token = &id, &key.TokenID
		return row{id, key.TokenID.Bytes(), of}, known
	}, func(q *query.Query, _ counter.Filter) {
		q.Equal(mint.FieldContractID, query.ValueNumber)
		q.Equal(mint.FieldTokenID, query.ValueBytes)
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

// row is a value's row of a [query.List], and the filter of its counters: the given one if it has none.
type row struct {
	n  int64
	b  []byte
	of counter.Filter
}

// many returns the selector of a list. Its values must be sorted before they identify it. resolve
// returns the row of a value, if it is known.
func many[T comparable](name string, tag byte, of func(*Filter) *[]T, compare func(a, b T) int, write func([]byte, T) []byte,
	resolve func(of counter.Filter, value T, ids map[evm.Address]int64) (_ row, known bool), equal func(*query.Query, counter.Filter),
) selector {
	return selector{
		name: name, given: func(f *Filter) bool { return *of(f) != nil }, size: func(f *Filter) int { return len(*of(f)) },
		sort: func(f *Filter) { *of(f) = set(*of(f), compare) },
		identify: func(f *Filter, b []byte) []byte {
			for _, value := range *of(f) {
				b = field(b, tag, value, write)
			}
			return b
		},
		add: func(f *Filter, to *query.List, with counter.Filter, ids map[evm.Address]int64) {
			for _, value := range *of(f) {
				r, known := resolve(with, value, ids)
				if !known {
					continue
				}
				if to.Add(r.n, r.b); r.of != with {
					to.Scopes = append(to.Scopes, r.of.Scope())
				}
			}
		},
		equal: equal,
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

// combinations are the accepted filters, each backed by an index. Tests check docs/api.md and the
// schema against them.
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

// maxOptions is the number of accepted filters that [refusal] names.
const maxOptions = 3

// refusal returns the error of arguments that are not accepted together: what they need, or else
// which of them are accepted.
func refusal(got selectors) string {
	var needed selectors
	var within []selectors
	for _, set := range slices.Sorted(maps.Keys(isAccepted)) {
		if got&^set == 0 && (needed == 0 || bits.OnesCount16(uint16(set)) < bits.OnesCount16(uint16(needed))) {
			needed = set
		}
		if set&^got == 0 && set != 0 {
			within = append(slices.DeleteFunc(within, func(s selectors) bool { return s&^set == 0 }), set)
		}
	}
	if needed != 0 {
		verb := "needs"
		if bits.OnesCount16(uint16(got)) > 1 {
			verb = "need"
		}
		return fmt.Sprintf("%s %s %s", got, verb, needed&^got)
	}
	var list []string
	for _, set := range within {
		list = append(list, set.String())
	}
	if len(list) > maxOptions {
		list = []string{"fewer of them"}
	}
	return fmt.Sprintf("%s can't be combined: want %s", got, strings.Join(list, ", or "))
}

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
