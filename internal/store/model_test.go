package store_test

import (
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// row is a record with its block: what a page must return.
type row struct {
	nft.Record
	Block evm.BlockRef
	Time  uint64
}

func rowOf(t store.Transfer) row { return row{t.Record, t.Block, t.Time} }

// model answers filters by looking at every record of blocks.
type model []nft.Block

// match returns the records that f selects, in its order.
func (m model) match(f store.Filter) []row {
	var rows []row
	for _, b := range m {
		if !inBlock(f, b.Header) {
			continue
		}
		records := b.Mints
		if f.Kind == nft.Burn {
			records = b.Burns
		}
		for _, r := range records {
			if selects(f, r) {
				rows = append(rows, row{r, b.Header.BlockRef, b.Header.Time})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.Block.Number != b.Block.Number:
			return sign(a.Block.Number < b.Block.Number)
		case a.LogIndex != b.LogIndex:
			return sign(a.LogIndex < b.LogIndex)
		default:
			return sign(a.SubIndex < b.SubIndex)
		}
	})
	if f.Order == store.Desc {
		slices.Reverse(rows)
	}
	return rows
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

func inBlock(f store.Filter, h evm.Header) bool {
	switch {
	case f.Block != nil && f.Block.Hash != nil:
		return *f.Block.Hash == h.Hash
	case f.Block != nil:
		return uint64(f.Block.Number) == h.Number
	default:
		return (f.FromBlock == nil || h.Number >= uint64(*f.FromBlock)) && (f.ToBlock == nil || h.Number <= uint64(*f.ToBlock))
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
		(f.Account == nil || *f.Account == who)
}

// count returns the number of records that f selects.
func (m model) count(f store.Filter) (n int64) {
	for _, b := range m {
		if !inBlock(f, b.Header) {
			continue
		}
		records := b.Mints
		if f.Kind == nft.Burn {
			records = b.Burns
		}
		for _, r := range records {
			if selects(f, r) {
				n++
			}
		}
	}
	return n
}
