package store_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// some returns up to most random values, which may repeat.
func some[T any](rng *rand.Rand, most int, value func() T) []T {
	list := make([]T, rng.IntN(most+1))
	for i := range list {
		list[i] = value()
	}
	return list
}

// singles returns a filter with a random list, with or without other arguments, and the
// filters of its single values.
func singles(rng *rand.Rand, blocks []nft.Block) (f store.Filter, each []store.Filter) {
	address := func() evm.Address { return collection(rng.IntN(14)) }
	who := func() evm.Address { return account(rng.IntN(32)) }
	if rng.IntN(2) == 0 {
		i := rng.IntN(len(blocks))
		f.FromBlock = ptr(evm.Long(blocks[i].Header.Number))
		f.ToBlock = ptr(evm.Long(blocks[i+rng.IntN(len(blocks)-i)].Header.Number))
	}
	sort := rng.IntN(5)
	switch narrowed := rng.IntN(3); {
	case narrowed == 0 && sort == 0:
		f.Account = ptr(who())
	case narrowed == 0 && sort == 1:
		f.Address = ptr(address())
	case narrowed == 1 && sort == 0:
		f.FromBlock, f.ToBlock = nil, nil
		f.Block = &evm.BlockNumberOrHash{Hash: &blocks[rng.IntN(len(blocks))].Header.Hash}
	}
	one, most := f, []int{3, 20, apierror.MaxValues}[rng.IntN(3)]
	one.Addresses, one.TransactionHashes, one.Accounts, one.Tokens = nil, nil, nil, nil
	add := func(set func(*store.Filter)) {
		single := one
		set(&single)
		each = append(each, single)
	}
	switch sort {
	case 0:
		f.Addresses = some(rng, most, address)
		for _, a := range unrepeated(f.Addresses) {
			add(func(f *store.Filter) { f.Address = &a })
		}
	case 1:
		f.Accounts = some(rng, most, who)
		for _, a := range unrepeated(f.Accounts) {
			add(func(f *store.Filter) { f.Account = &a })
		}
	case 2:
		f.TransactionHashes = some(rng, most, func() evm.Hash {
			return txHash(1, blocks[rng.IntN(len(blocks))].Header.Number, rng.IntN(3))
		})
		for _, h := range unrepeated(f.TransactionHashes) {
			add(func(f *store.Filter) { f.TransactionHash = &h })
		}
	default:
		f.Tokens = some(rng, most, func() nft.TokenKey {
			key := nft.TokenKey{Contract: address()}
			key.TokenID = tokenID(rng, key.Contract)
			return key
		})
		for _, key := range unrepeated(f.Tokens) {
			add(func(f *store.Filter) { f.Address, f.TokenID = &key.Contract, &key.TokenID })
		}
	}
	return f, each
}

// unrepeated returns the distinct values of a list.
func unrepeated[T comparable](list []T) (different []T) {
	for _, v := range list {
		if !slices.Contains(different, v) {
			different = append(different, v)
		}
	}
	return different
}

// TestList_MergesItsValues checks that the pages of random lists have the records of the
// single filters in chain order, and that the total is the sum of their totals.
func TestList_MergesItsValues(t *testing.T) {
	skipShort(t)
	// Half of the records are of one collection and one account, which have counters.
	blocks := branch(1, 1, 1000, blockHash(1, 999), 400, between(14, 900))
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, blocks)
		snap, rng := snapshot(t, s), rand.New(rand.NewPCG(7, 8))
		for range 120 {
			f, each := singles(rng, blocks)
			f.Kind, f.Order = []nft.Kind{nft.Mint, nft.Burn}[rng.IntN(2)], []store.Order{store.Asc, store.Desc}[rng.IntN(2)]
			var want []row
			total := int64(0)
			for _, one := range each {
				one.Kind = f.Kind
				p := pageOf(t, snap, one, page.Args{First: ptr(10_000)})
				want = append(want, rowsOf(p)...)
				total += totalOf(t, p)
			}
			slices.SortFunc(want, func(a, b row) int {
				order := cmp.Or(cmp.Compare(a.Block.Number, b.Block.Number), cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.SubIndex, b.SubIndex))
				if f.Order == store.Desc {
					order = -order
				}
				return order
			})
			expect.Equal(t, describe(f)+": total of the single answers", total, int64(len(want)))
			b := recordBook(t, snap, nil, f)
			b.want = want
			size := 1 + len(want)/(1+rng.IntN(6))
			cursors := b.whole()
			b.forwards(always(size))
			b.backwards(always(size))
			if len(want) > 0 {
				i := rng.IntN(len(want))
				b.around(cursors[i], i)
			}
		}
	})
}

// TestList_Values checks the maximum number of values, and that neither order nor
// repetition matters.
func TestList_Values(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 40, between(10, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		snap := snapshot(t, s)
		addresses := make([]evm.Address, apierror.MaxValues)
		for i := range addresses {
			addresses[i] = collection(i % 7)
		}
		f := store.Filter{Addresses: addresses}
		p := pageOf(t, snap, f, page.Args{First: ptr(3)})
		cursor := p.Cursor(2)
		next := pageOf(t, snap, f, page.Args{After: &cursor})
		other := []evm.Address{collection(6), collection(2), collection(4), collection(1), collection(0), collection(5), collection(3)}
		same := pageOf(t, snap, store.Filter{Addresses: other}, page.Args{After: &cursor})
		expect.Equal(t, "the next page of the same set", rowsOf(next), rowsOf(same))
		for what, f := range map[string]store.Filter{
			"a smaller set": {Addresses: other[1:]}, "a list of accounts": {Accounts: other}, "an empty list": {Addresses: []evm.Address{}},
		} {
			_, err := readPage(t.Context(), snap, f, page.Args{After: &cursor})
			wantCode(t, "the cursor of another list for "+what, err, apierror.InvalidCursor)
		}
		tokens := func(ids ...uint64) store.Filter {
			var keys []nft.TokenKey
			for _, id := range ids {
				keys = append(keys, nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)})
			}
			return store.Filter{Tokens: keys}
		}
		one := pageOf(t, snap, tokens(7, 12), page.Args{First: ptr(1)})
		_, err := readPage(t.Context(), snap, tokens(7, 13), page.Args{After: ptr(one.Cursor(0))})
		wantCode(t, "the cursor of other tokens", err, apierror.InvalidCursor)
		all := pageOf(t, snap, store.Filter{}, page.Args{First: ptr(1)})
		cursor = all.Cursor(0)
		_, err = readPage(t.Context(), snap, store.Filter{Tokens: []nft.TokenKey{}}, page.Args{After: &cursor})
		wantCode(t, "the cursor of no filter for an empty list", err, apierror.InvalidCursor)
		_, err = snap.Page(store.Filter{Addresses: append(addresses, collection(0))}, page.Args{})
		expect.Equal(t, "error", "addresses: got 101 values, want at most 100", wantCode(t, "101 values", err, apierror.BadUserInput).Message)
	})
}

// TestList_UnknownCollections checks that unknown collections have no records, and that an
// empty list needs no blocks.
func TestList_UnknownCollections(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 10, between(10, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		f := store.Filter{Addresses: []evm.Address{collection(0), collection(unknown), collection(unknown + 1)}}
		each(t, s, func(snap *store.Snapshot) {
			_, err := readPage(t.Context(), snap, f, page.Args{})
			wantCode(t, "nothing is indexed", err, apierror.BlockNotIndexed)
			p := pageOf(t, snap, store.Filter{Addresses: []evm.Address{}}, page.Args{})
			expect.Equal(t, "items and total of an empty list", [2]int64{0, 0}, [2]int64{int64(p.Len()), totalOf(t, p)})
		})
		apply(t, s, blocks)
		each(t, s, func(snap *store.Snapshot) {
			want := model(blocks).match(store.Filter{Address: ptr(collection(0))})
			p := pageOf(t, snap, f, page.Args{First: ptr(1000)})
			expect.Equal(t, "records", want, rowsOf(p))
		})
	})
}

// TestList_OnlySomeCollections checks that a collection that is not indexed is an error
// rather than empty, if only some collections are.
func TestList_OnlySomeCollections(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 10, between(10, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		_, err := s.Settings().BindContracts(t.Context(), []evm.Address{collection(0), collection(unknown)})
		expect.NoError(t, err)
		apply(t, s, blocks)
		snap, addresses := snapshot(t, s), []evm.Address{collection(0), collection(unknown), collection(unknown + 1)}
		_, err = readPage(t.Context(), snap, store.Filter{Addresses: addresses}, page.Args{})
		refused := wantCode(t, "a collection that is not indexed", err, apierror.NotFound)
		expect.Equal(t, "error", "collection "+collection(unknown+1).String()+" is not indexed: only some collections are, see contracts of chain", refused.Message)
		pageOf(t, snap, store.Filter{Addresses: addresses[:2]}, page.Args{})
	})
}
