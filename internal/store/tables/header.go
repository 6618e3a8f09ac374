package tables

import (
	"context"
	"fmt"
	"iter"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// BlockRow returns the row of a header. The row shares memory with the header.
func BlockRow(h *evm.Header) *ent.Block {
	row := &ent.Block{ID: int64(h.Number), HashPrefix: h.Hash.Prefix(), HashSuffix: h.Hash[8:], Time: h.Time}
	if !h.ParentHash.IsZero() {
		row.ParentHash = &h.ParentHash
	}
	return row
}

// HeaderOf returns the header of a row.
func HeaderOf(row *ent.Block) (evm.Header, error) {
	h := evm.Header{BlockRef: evm.BlockRef{Number: uint64(row.ID)}, Time: row.Time}
	if row.ParentHash != nil {
		h.ParentHash = *row.ParentHash
	}
	var err error
	if h.Hash, err = evm.JoinHash(row.HashPrefix, row.HashSuffix); err != nil {
		return h, fmt.Errorf("reading block %d: %w", row.ID, err)
	}
	return h, nil
}

// Consecutive splits sorted blocks into runs of consecutive numbers. Duplicates stay in
// one run.
func Consecutive(blocks []nft.Block) iter.Seq[[]nft.Block] {
	return func(yield func([]nft.Block) bool) {
		start := 0
		for i := 1; i <= len(blocks); i++ {
			if i < len(blocks) && blocks[i].Header.Number <= blocks[i-1].Header.Number+1 {
				continue
			}
			if i > start && !yield(blocks[start:i]) {
				return
			}
			start = i
		}
	}
}

// BlockIDs selects the headers of a range.
func BlockIDs(r evm.Range) []predicate.Block {
	return []predicate.Block{block.IDGTE(int64(r.From)), block.IDLTE(int64(r.To))}
}

// Headers returns the stored headers of a range of blocks, by number, without damaged ones: they count
// as missing, so that a repair replaces them.
func Headers(ctx context.Context, s Querier, r evm.Range) (map[uint64]evm.Header, error) {
	headers := map[uint64]evm.Header{}
	var row ent.Block
	err := EachRow(ctx, s, block.Table, block.Columns, int64(r.From), int64(r.To), func(values *database.Row) {
		if row.ReadRow(values) != nil {
			return
		}
		if h, err := HeaderOf(&row); err == nil {
			headers[h.Number] = h
		}
	})
	return headers, database.Wrap(err, "reading blocks %d to %d", r.From, r.To)
}

// LastHeader returns the highest stored header of a range, and false if there is
// none.
func LastHeader(ctx context.Context, client *ent.Client, r evm.Range) (header evm.Header, found bool, err error) {
	row, found, err := Found(client.Block.Query().Where(BlockIDs(r)...).Order(block.ByID(entsql.OrderDesc())).First(ctx))
	if err != nil {
		return header, false, fmt.Errorf("reading blocks: %w", err)
	}
	if found {
		header, err = HeaderOf(row)
	}
	return header, found, err
}
