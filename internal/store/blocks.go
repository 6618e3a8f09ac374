package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/orphanedblock"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// rangeColumns are the columns of coverage that form a range.
var rangeColumns = []string{coverage.FieldFromBlock, coverage.FieldToBlock}

// rangeContaining returns the range of a kind that contains a block.
func rangeContaining(ctx context.Context, s *Snapshot, kind coverage.Kind, number uint64) (Range, bool, error) {
	// The number fits: a Long is below 2^53.
	var row ent.Coverage
	found, err := s.cached(ctx, statementKey{name: "range containing"}, func(client *ent.Client) entsql.Querier {
		return client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(number))).
			Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).Select(rangeColumns...).Selector()
	}, []any{string(kind), int64(number)}, func(r *database.Row) error { return row.ReadRow(r, rangeColumns...) })
	if err != nil {
		return Range{}, false, fmt.Errorf("reading coverage: %w", err)
	}
	r := Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
	return r, found && number <= r.To, nil
}

// requireRange returns an error with the code BLOCK_NOT_INDEXED unless every block between
// from and to is indexed. nil means the first or the last indexed block. to may lie beyond
// the head.
func requireRange(ctx context.Context, s *Snapshot, from, to *evm.Long) error {
	if from != nil {
		r, ok, err := rangeContaining(ctx, s, coverage.KindIndexed, uint64(*from))
		if err != nil {
			return err
		}
		if ok && to != nil && uint64(*to) <= r.To {
			return nil
		}
	}
	ranges, err := tables.Ranges(ctx, s.client(), coverage.KindIndexed)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		return notIndexed("nothing is indexed yet", nil, nil)
	}
	first, head := ranges[0].From, ranges[len(ranges)-1].To
	if from != nil {
		first = uint64(*from)
	}
	last := head
	if to != nil {
		// A range may end beyond the head, but not begin there.
		last = min(uint64(*to), head)
	}
	for _, r := range ranges {
		if r.From <= first && first <= last && last <= r.To {
			return nil
		}
	}
	switch {
	case first < last:
		return notIndexed(fmt.Sprintf("not every block from %d to %d is indexed", first, last), ranges, tables.Missing(ranges, Range{From: first, To: last}))
	case from == nil:
		first = last
	}
	return notIndexed(fmt.Sprintf("block %d is not indexed", first), ranges, []Range{{From: first, To: first}})
}

// mayBeMissing returns the error for a query that may concern missing blocks between the
// indexed ranges.
func mayBeMissing(ranges []Range) error {
	holes := tables.Missing(ranges, Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	return notIndexed("blocks that are not indexed may contain more records: want fromBlock and toBlock within an indexed range, or partial: true", ranges, holes)
}

// notIndexed returns an error with the code BLOCK_NOT_INDEXED that lists the indexed and
// the missing ranges: the last 10 of each.
func notIndexed(what string, indexed, missing []Range) error {
	e := nft.Errorf(nft.BlockNotIndexed, "%s", what)
	names, details := lastFew(indexed)
	_, holes := lastFew(missing)
	if len(names) > 0 {
		e.Message += ": indexed are " + strings.Join(names, ", ")
	}
	e.Details = map[string]any{"indexedRanges": details, "missingRanges": holes}
	return e
}

// lastFew formats the last 10 ranges.
func lastFew(ranges []Range) (names []string, details []map[string]uint64) {
	const most = 10
	details = []map[string]uint64{}
	for _, r := range ranges[max(0, len(ranges)-most):] {
		names = append(names, fmt.Sprintf("%d to %d", r.From, r.To))
		details = append(details, map[string]uint64{"fromBlock": r.From, "toBlock": r.To})
	}
	return names, details
}

// blockRow returns the row of a header. The row shares memory with the header.
func blockRow(h *evm.Header) *ent.Block {
	row := &ent.Block{ID: int64(h.Number), HashPrefix: h.Hash.Prefix(), HashSuffix: h.Hash[8:], Time: h.Time}
	if !h.ParentHash.IsZero() {
		row.ParentHash = &h.ParentHash
	}
	return row
}

// headerOf returns the header of a row.
func headerOf(row *ent.Block) (evm.Header, error) {
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

// consecutive splits sorted blocks into runs of consecutive numbers. Duplicates stay in
// one run.
func consecutive(blocks []nft.Block) iter.Seq[[]nft.Block] {
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

// blockIDs selects the headers of a range.
func blockIDs(r Range) []predicate.Block {
	return []predicate.Block{block.IDGTE(int64(r.From)), block.IDLTE(int64(r.To))}
}

// headers returns the stored headers of a range of blocks, by number.
func headers(ctx context.Context, client *ent.Client, r Range) (map[uint64]evm.Header, error) {
	rows, err := client.Block.Query().Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading blocks %d to %d: %w", r.From, r.To, err)
	}
	headers := make(map[uint64]evm.Header, len(rows)+1)
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return nil, err
		}
		headers[h.Number] = h
	}
	return headers, nil
}

// lastHeader returns the highest stored header of a range, and false if there is
// none.
func lastHeader(ctx context.Context, client *ent.Client, r Range) (header evm.Header, found bool, err error) {
	row, found, err := tables.Found(client.Block.Query().Where(blockIDs(r)...).Order(block.ByID(entsql.OrderDesc())).First(ctx))
	if err != nil {
		return header, false, fmt.Errorf("reading blocks: %w", err)
	}
	if found {
		header, err = headerOf(row)
	}
	return header, found, err
}

// endOf returns the first block of a range that has rows in a table of blocks, records or
// rejected logs, or the last one in descending order.
func endOf(ctx context.Context, s *Snapshot, table string, r Range, order string) (number uint64, found bool, err error) {
	builder, shift := s.db.Builder(), tables.SlotBits
	from, to := tables.FirstIn(r.From), tables.LastIn(r.To)
	if table == block.Table {
		shift, from, to = 0, int64(r.From), int64(r.To)
	}
	err = s.db.Query(ctx, builder.Select("id").From(builder.Table(table)).Where(entsql.And(entsql.GTE("id", from), entsql.LTE("id", to))).
		OrderBy(order).Limit(1), func(row *database.Row) error {
		number, found = uint64(row.Int64())>>shift, true
		return row.Err()
	})
	return number, found, database.Wrap(err, "reading %s", table)
}

// header returns the stored canonical header at a height. If none is stored, only the
// number is set.
func header(ctx context.Context, s *Snapshot, number uint64) (header evm.Header, found bool, err error) {
	header.Number = number
	found, err = s.cached(ctx, statementKey{name: "block"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.ID(int64(number))).Selector()
	}, []any{int64(number)}, func(r *database.Row) error {
		var row ent.Block
		if err := row.ReadRow(r); err != nil {
			return err
		}
		header, err = headerOf(&row)
		return err
	})
	if err != nil {
		return header, false, fmt.Errorf("reading block %d: %w", number, err)
	}
	return header, found, nil
}

// orphanedHeader returns the first stored header of an orphaned block that matches the
// predicate.
func orphanedHeader(ctx context.Context, s *Snapshot, where predicate.OrphanedBlock) (header evm.Header, found bool, err error) {
	row, found, err := tables.Found(s.client().OrphanedBlock.Query().Where(where).First(ctx))
	if found {
		header.Number, header.Hash, header.ParentHash = uint64(row.Number), row.Hash, row.ParentHash
	}
	return header, found, database.Wrap(err, "looking up an orphaned block")
}

// orphan copies the headers of a range to the table of orphaned blocks.
func orphan(ctx context.Context, client *ent.Client, r Range) error {
	rows, err := client.Block.Query().Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return fmt.Errorf("reading blocks: %w", err)
	}
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return err
		}
		known, err := client.OrphanedBlock.Query().Where(orphanedblock.Hash(h.Hash)).Exist(ctx)
		if err == nil && !known {
			err = client.OrphanedBlock.Create().SetNumber(row.ID).SetHash(h.Hash).SetParentHash(h.ParentHash).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("remembering block %d: %w", row.ID, err)
		}
	}
	return nil
}

// blockNumber returns the height of an indexed block of the canonical chain. Its
// errors have the codes BLOCK_NOT_FOUND and BLOCK_NOT_CANONICAL.
func blockNumber(ctx context.Context, s *Snapshot, hash evm.Hash) (uint64, error) {
	prefix, suffix := hash.Prefix(), hash.Suffix()
	var row ent.Block
	found, err := s.cached(ctx, statementKey{name: "block by hash"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.HashPrefix(prefix), block.HashSuffix(suffix)).Select(block.FieldID).Selector()
	}, []any{prefix, suffix}, func(r *database.Row) error { return row.ReadRow(r, block.FieldID) })
	if err != nil {
		return 0, fmt.Errorf("looking up block %s: %w", hash, err)
	}
	if found {
		return uint64(row.ID), nil
	}
	orphaned, found, err := orphanedHeader(ctx, s, orphanedblock.Hash(hash))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, nft.Errorf(nft.BlockNotFound, "no indexed block has the hash %s", hash)
	}
	gone := nft.Errorf(nft.BlockNotCanonical, "block %s at height %d was orphaned by a reorg", hash, orphaned.Number)
	gone.Details = map[string]any{"blockNumber": orphaned.Number, "canonicalHash": nil}
	h, found, err := header(ctx, s, orphaned.Number)
	if err != nil {
		return 0, err
	}
	if found {
		gone.Details["canonicalHash"] = h.Hash.String()
		gone.Message += fmt.Sprintf(": the canonical block there is %s", h.Hash)
	}
	return 0, gone
}

// commonAncestor returns the last canonical block of an orphaned block's branch. It returns
// false if the branch is not stored.
func commonAncestor(ctx context.Context, s *Snapshot, number uint64, anchor uint32) (evm.Header, bool, error) {
	rows, err := s.client().OrphanedBlock.Query().Where(orphanedblock.Number(int64(number))).All(ctx)
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up orphaned blocks at %d: %w", number, err)
	}
	var parent *evm.Hash
	for _, row := range rows {
		if anchorOf(row.Hash.Prefix()) == anchor {
			parent = &row.ParentHash
		}
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := header(ctx, s, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphaned, found, err := orphanedHeader(ctx, s, orphanedblock.Hash(*parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphaned.ParentHash
	}
	return evm.Header{}, false, nil
}
