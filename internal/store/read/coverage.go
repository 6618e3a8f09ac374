package read

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/orphanedblock"
	"mintburn/ent/predicate"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// RangeContaining returns the range of a kind that contains a block.
func RangeContaining(ctx context.Context, s *Snapshot, kind coverage.Kind, number uint64) (evm.Range, bool, error) {
	// The number fits: a Long is below 2^53.
	var row ent.Coverage
	found, err := s.Cached(ctx, query.Key{Name: "range containing"}, func(client *ent.Client) entsql.Querier {
		return client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(number))).
			Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).Select(rangeColumns...).Selector()
	}, []any{string(kind), int64(number)}, func(r *database.Row) error { return row.ReadRow(r, rangeColumns...) })
	if err != nil {
		return evm.Range{}, false, fmt.Errorf("reading coverage: %w", err)
	}
	r := evm.Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
	return r, found && number <= r.To, nil
}

// RequireRange returns an error with the code BLOCK_NOT_INDEXED unless every block between
// from and to is indexed. nil means the first or the last indexed block. to may lie beyond
// the head.
func RequireRange(ctx context.Context, s *Snapshot, from, to *evm.Long) error {
	if from != nil {
		r, ok, err := RangeContaining(ctx, s, coverage.KindIndexed, uint64(*from))
		if err != nil {
			return err
		}
		if ok && to != nil && uint64(*to) <= r.To {
			return nil
		}
	}
	ranges, err := s.Indexed(ctx)
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
		return notIndexed(fmt.Sprintf("not every block from %d to %d is indexed", first, last), ranges, tables.Missing(ranges, evm.Range{From: first, To: last}))
	case from == nil:
		first = last
	}
	return notIndexed(fmt.Sprintf("block %d is not indexed", first), ranges, []evm.Range{{From: first, To: first}})
}

// EndOf returns the first block of a range that has rows in a table of blocks, records or
// rejected logs, or the last one in descending order.
func EndOf(ctx context.Context, s *Snapshot, table string, r evm.Range, order string) (number uint64, found bool, err error) {
	builder, shift := s.Tx.Builder(), tables.SlotBits
	from, to := tables.FirstIn(r.From), tables.LastIn(r.To)
	if table == block.Table {
		shift, from, to = 0, int64(r.From), int64(r.To)
	}
	err = s.Tx.Query(ctx, builder.Select("id").From(builder.Table(table)).Where(entsql.And(entsql.GTE("id", from), entsql.LTE("id", to))).
		OrderBy(order).Limit(1), func(row *database.Row) error {
		number, found = uint64(row.Int64())>>shift, true
		return row.Err()
	})
	return number, found, database.Wrap(err, "reading %s", table)
}

// Header returns the stored canonical header at a height. If none is stored, only the
// number is set.
func Header(ctx context.Context, s *Snapshot, number uint64) (header evm.Header, found bool, err error) {
	header.Number = number
	found, err = s.Cached(ctx, query.Key{Name: "block"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.ID(int64(number))).Selector()
	}, []any{int64(number)}, func(r *database.Row) error {
		var row ent.Block
		if err := row.ReadRow(r); err != nil {
			return err
		}
		header, err = tables.HeaderOf(&row)
		return err
	})
	if err != nil {
		return header, false, fmt.Errorf("reading block %d: %w", number, err)
	}
	return header, found, nil
}

// OrphanedHeader returns the first stored header of an orphaned block that matches the
// predicate.
func OrphanedHeader(ctx context.Context, s *Snapshot, where predicate.OrphanedBlock) (header evm.Header, found bool, err error) {
	row, found, err := tables.Found(s.Client().OrphanedBlock.Query().Where(where).First(ctx))
	if found {
		header.Number, header.Hash, header.ParentHash = uint64(row.Number), row.Hash, row.ParentHash
	}
	return header, found, database.Wrap(err, "looking up an orphaned block")
}

// BlockNumber returns the height of an indexed block of the canonical chain. Its
// errors have the codes BLOCK_NOT_FOUND and BLOCK_NOT_CANONICAL.
func BlockNumber(ctx context.Context, s *Snapshot, hash evm.Hash) (uint64, error) {
	prefix, suffix := hash.Prefix(), hash.Suffix()
	var row ent.Block
	found, err := s.Cached(ctx, query.Key{Name: "block by hash"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.HashPrefix(prefix), block.HashSuffix(suffix)).Select(block.FieldID).Selector()
	}, []any{prefix, suffix}, func(r *database.Row) error { return row.ReadRow(r, block.FieldID) })
	if err != nil {
		return 0, fmt.Errorf("looking up block %s: %w", hash, err)
	}
	if found {
		return uint64(row.ID), nil
	}
	orphaned, found, err := OrphanedHeader(ctx, s, orphanedblock.Hash(hash))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, apierror.Errorf(apierror.BlockNotFound, "no indexed block has the hash %s", hash)
	}
	gone := apierror.Errorf(apierror.BlockNotCanonical, "block %s at height %d was orphaned by a reorg", hash, orphaned.Number)
	gone.Details = map[string]any{"blockNumber": orphaned.Number, "canonicalHash": nil}
	h, found, err := Header(ctx, s, orphaned.Number)
	if err != nil {
		return 0, err
	}
	if found {
		gone.Details["canonicalHash"] = h.Hash.String()
		gone.Message += fmt.Sprintf(": the canonical block there is %s", h.Hash)
	}
	return 0, gone
}

// TimesFall returns the error for a query by time on a chain whose times fall.
func TimesFall(what, fall string) error {
	return apierror.Errorf(apierror.BadUserInput, "%s: the times of this chain fall: block %s is earlier than a block before it: want fromBlock and toBlock", what, fall)
}

// NoFinalized is why a range or a tag has no finalized block.
const NoFinalized = "no finalized block is known"

// AfterAll returns the error for a span that begins after all known blocks.
func AfterAll(ctx context.Context, s *Snapshot, what string) error {
	ranges, err := s.Indexed(ctx)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		what = "nothing is indexed yet"
	}
	return notIndexed(what, ranges, nil)
}
