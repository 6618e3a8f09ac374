package store_test

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/query"
)

// row is a record with its block, as a page must return it.
type row struct {
	nft.Record
	Block evm.BlockRef
	Time  uint64
}

func rowOf(t store.Transfer) row { return row{t.Record, t.Block, t.Time} }

// model evaluates filters by looking at every record of its blocks.
type model []nft.Block

// selected yields the records that f selects, block by block.
func (m model) selected(f store.Filter) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, b := range m {
			if !inBlock(f, b.Header) {
				continue
			}
			records := b.Mints
			if f.Kind == nft.Burn {
				records = b.Burns
			}
			for _, r := range records {
				if selects(f, r) && !yield(row{r, b.Header.BlockRef, b.Header.Time}) {
					return
				}
			}
		}
	}
}

// match returns the records that f selects, in its order.
func (m model) match(f store.Filter) []row {
	rows := slices.Collect(m.selected(f))
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Block.Number, b.Block.Number), cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.SubIndex, b.SubIndex))
	})
	if f.Order == store.Desc {
		slices.Reverse(rows)
	}
	return rows
}

// count returns the number of records that f selects.
func (m model) count(f store.Filter) (n int64) {
	for range m.selected(f) {
		n++
	}
	return n
}

func inBlock(f store.Filter, h evm.Header) bool {
	switch {
	case f.Block != nil && f.Block.Hash != nil:
		return *f.Block.Hash == h.Hash
	case f.Block != nil:
		return uint64(f.Block.Number) == h.Number
	default:
		return (f.FromBlock == nil || h.Number >= uint64(*f.FromBlock)) && (f.ToBlock == nil || h.Number <= uint64(*f.ToBlock)) &&
			(f.FromTime == nil || h.Time >= uint64(*f.FromTime)) && (f.ToTime == nil || h.Time <= uint64(*f.ToTime))
	}
}

func selects(f store.Filter, r nft.Record) bool {
	who := r.To
	if r.Kind == nft.Burn {
		who = r.From
	}
	return (f.Address == nil || *f.Address == r.Contract) &&
		(f.TokenID == nil || *f.TokenID == r.TokenID) &&
		(f.TransactionHash == nil || *f.TransactionHash == r.TxHash) &&
		(f.Account == nil || *f.Account == who) && listed(f, r, who)
}

// hasList reports whether a filter has a list.
func hasList(f store.Filter) bool {
	return f.Addresses != nil || f.TransactionHashes != nil || f.Accounts != nil || f.Tokens != nil
}

// listed reports whether each list that is not nil contains the record's value.
func listed(l store.Filter, r nft.Record, who evm.Address) bool {
	return (l.Addresses == nil || slices.Contains(l.Addresses, r.Contract)) &&
		(l.TransactionHashes == nil || slices.Contains(l.TransactionHashes, r.TxHash)) &&
		(l.Accounts == nil || slices.Contains(l.Accounts, who)) &&
		(l.Tokens == nil || slices.Contains(l.Tokens, nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}))
}

// describe describes a filter in failures.
func describe(f store.Filter) string {
	parts := []string{f.Kind.String() + "s", string(f.Order)}
	if f.Block != nil {
		parts = append(parts, "block="+f.Block.String())
	}
	if f.Address != nil {
		parts = append(parts, "address="+f.Address.String()[:10])
	}
	if f.TokenID != nil {
		parts = append(parts, "tokenId="+f.TokenID.String())
	}
	if f.TransactionHash != nil {
		parts = append(parts, "transactionHash="+f.TransactionHash.String()[:22])
	}
	if f.Account != nil {
		parts = append(parts, "account="+f.Account.String()[:22])
	}
	if hasList(f) {
		parts = append(parts, fmt.Sprintf("addresses=%.14s transactionHashes=%.24s accounts=%.24s tokens=%.60s", f.Addresses, f.TransactionHashes, f.Accounts, fmt.Sprint(f.Tokens)))
	}
	if f.FromBlock != nil {
		parts = append(parts, fmt.Sprintf("fromBlock=%d", *f.FromBlock))
	}
	if f.ToBlock != nil {
		parts = append(parts, fmt.Sprintf("toBlock=%d", *f.ToBlock))
	}
	for name, bound := range map[string]*evm.Long{"fromTime": f.FromTime, "toTime": f.ToTime} {
		if bound != nil {
			parts = append(parts, fmt.Sprintf("%s=%d", name, *bound))
		}
	}
	if f.Finality != "" {
		parts = append(parts, string(f.Finality))
	}
	return strings.Join(parts, " ")
}

// selections returns every accepted combination of filters without a range,
// with values that select many, few and no records of linked blocks.
func selections(blocks []nft.Block) []store.Filter {
	var busy nft.Block
	for _, b := range blocks {
		if len(b.Mints) > 1 && len(b.Burns) > 1 && len(b.Mints)+len(b.Burns) < 40 {
			busy = b
		}
	}
	number, one, other := busy.Header.Number, busy.Mints[0], busy.Burns[0]
	list := []store.Filter{{}, {Block: &evm.BlockNumberOrHash{Number: evm.Long(number)}}, {Block: &evm.BlockNumberOrHash{Hash: ptr(busy.Header.Hash)}}}
	if number, ok := emptyBlock(blocks); ok {
		list = append(list, store.Filter{Block: &evm.BlockNumberOrHash{Number: evm.Long(number)}})
	}
	for _, c := range []int{0, 3, unknown} {
		list = append(list, store.Filter{Address: ptr(collection(c))})
	}
	for _, id := range []uint64{7, 12, 5_000} {
		list = append(list, store.Filter{Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(id))})
	}
	for _, tx := range []evm.Hash{one.TxHash, other.TxHash, {9}} {
		list = append(list, store.Filter{TransactionHash: &tx},
			store.Filter{TransactionHash: &tx, Address: &one.Contract},
			store.Filter{TransactionHash: &tx, Address: &other.Contract})
	}
	for _, a := range []int{0, 1, unknown} {
		list = append(list, store.Filter{Account: ptr(account(a))},
			store.Filter{Account: ptr(account(a)), Address: ptr(collection(0))},
			store.Filter{Account: ptr(account(a)), Address: ptr(collection(3))})
	}
	list = append(list, store.Filter{Account: ptr(account(4))})
	for _, r := range []nft.Record{one, other} {
		list = append(list, store.Filter{TransactionHash: &r.TxHash, Address: &r.Contract, TokenID: &r.TokenID})
	}
	// A collection, a token and an account within a block.
	for _, b := range []evm.BlockNumberOrHash{{Number: evm.Long(number)}, {Hash: ptr(busy.Header.Hash)}} {
		list = append(list, store.Filter{Block: &b, Address: &one.Contract}, store.Filter{Block: &b, Address: ptr(collection(unknown))},
			store.Filter{Block: &b, Address: &other.Contract, TokenID: &other.TokenID}, store.Filter{Block: &b, Account: &one.To},
			store.Filter{Block: &b, Addresses: []evm.Address{one.Contract, collection(0), collection(3)}})
	}
	return append(list, lists(one, other)...)
}

// lists returns filters with every sort of list.
func lists(one, other nft.Record) (list []store.Filter) {
	key := func(c int, id uint64) nft.TokenKey {
		return nft.TokenKey{Contract: collection(c), TokenID: evm.NewUint256(id)}
	}
	contracts := []evm.Address{collection(3), collection(0), collection(unknown), collection(5), collection(3)}
	// Two of them share a prefix.
	accounts := []evm.Address{account(4), account(1), account(0), account(unknown)}
	list = append(list, []store.Filter{
		{Addresses: contracts}, {Addresses: contracts[:1]}, {Addresses: contracts[2:3]}, {Addresses: []evm.Address{}},
		{Accounts: accounts}, {TransactionHashes: []evm.Hash{other.TxHash, one.TxHash}}, {TransactionHashes: []evm.Hash{{9}, one.TxHash}},
		{Tokens: []nft.TokenKey{key(0, 7), key(3, 12), key(unknown, 1), key(0, 12), {Contract: one.Contract, TokenID: one.TokenID}, key(0, 5_000)}},
	}...)
	return append(list,
		store.Filter{Addresses: contracts, Account: ptr(account(0))}, store.Filter{Accounts: accounts, Address: ptr(collection(0))},
		store.Filter{Accounts: accounts, Address: ptr(collection(unknown))})
}

func emptyBlock(blocks []nft.Block) (number uint64, found bool) {
	for _, b := range blocks {
		if len(b.Mints)+len(b.Burns) == 0 {
			return b.Header.Number, true
		}
	}
	return 0, false
}

// ranged returns f without a range, with one end, with both ends, and with both at one
// block, for linked blocks.
func ranged(f store.Filter, blocks []nft.Block) []store.Filter {
	if f.Block != nil {
		return []store.Filter{f}
	}
	first := evm.Long(blocks[0].Header.Number)
	n := evm.Long(len(blocks))
	list := []store.Filter{f}
	for _, r := range [][2]*evm.Long{
		{ptr(first + n/3), nil},
		{nil, ptr(first + n/2)},
		{ptr(first + n/5), ptr(first + 4*n/5)},
		{ptr(first + n - 3), ptr(evm.Long(evm.MaxLong))},
		{ptr(first + 50), ptr(first + 50)},
	} {
		f.FromBlock, f.ToBlock = r[0], r[1]
		list = append(list, f)
	}
	return list
}

// everyWay returns the filters for both kinds and both orders.
func everyWay(filters []store.Filter) []store.Filter {
	var list []store.Filter
	for _, f := range filters {
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			for _, order := range []store.Order{store.Asc, store.Desc} {
				f.Kind, f.Order = kind, order
				list = append(list, f)
			}
		}
	}
	return list
}

// accepted returns every accepted filter with every sort of range.
func accepted(blocks []nft.Block) []store.Filter {
	var list []store.Filter
	for _, f := range selections(blocks) {
		list = append(list, everyWay(ranged(f, blocks))...)
	}
	return list
}

// planned returns [accepted] and filters by time, for tests of statements.
func planned(blocks []nft.Block) []store.Filter {
	n := len(blocks)
	from, to := evm.Long(blocks[n/5].Header.Time), evm.Long(blocks[4*n/5].Header.Time)
	return append(accepted(blocks), everyWay([]store.Filter{{FromTime: &from, ToTime: &to}, {Address: ptr(collection(0)), FromTime: &from}})...)
}

// someOf returns half of the filters of [accepted] for slow tests, with other kinds and
// orders of each.
func someOf(filters []store.Filter) []store.Filter {
	var list []store.Filter
	for i, f := range filters {
		if (i+i/2+i/4+i/8)%2 == 0 {
			list = append(list, f)
		}
	}
	return list
}

// byRecords returns the tokens with so many records of both kinds that their amounts do not come with
// them, and those with few.
func byRecords(blocks []nft.Block) (many, few []nft.TokenKey) {
	for _, key := range model(blocks).keys() {
		of := store.Filter{Kind: nft.Burn, Address: &key.Contract, TokenID: &key.TokenID}
		burns := model(blocks).count(of)
		of.Kind = nft.Mint
		mints := model(blocks).count(of)
		switch {
		case burns < query.Few && mints < query.Few:
			few = append(few, key)
		case burns >= query.Few && mints >= query.Few && mints+burns > 2*query.Few:
			many = append(many, key)
		}
	}
	return many, few
}
