package store

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Range is a range of blocks, inclusive at both ends.
type Range = evm.Range

// covered returns the indexed ranges in order.
func (s *Snapshot) covered(ctx context.Context) ([]Range, error) {
	return s.ranges(ctx, coverage.KindIndexed)
}

func (s *Snapshot) ranges(ctx context.Context, kind coverage.Kind) ([]Range, error) {
	rows, err := s.client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	var ranges []Range
	for _, row := range rows {
		ranges = append(ranges, Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)})
	}
	return ranges, nil
}

// rangeContaining returns the range of a kind that contains a block.
func (s *Snapshot) rangeContaining(ctx context.Context, kind coverage.Kind, number uint64) (Range, bool, error) {
	// A Long is below 2^53.
	var row ent.Coverage
	found, err := s.cached(ctx, statementKey{name: "range containing"}, func(client *ent.Client) entsql.Querier {
		return client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(number))).
			Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).Selector()
	}, []any{string(kind), int64(number)}, func(r *database.Row) error { return row.ReadRow(r) })
	if err != nil {
		return Range{}, false, fmt.Errorf("reading coverage: %w", err)
	}
	r := Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
	return r, found && number <= r.To, nil
}

// requireRange makes sure that every block from one to the other is indexed,
// where nil is the first or the last that is; to may lie beyond the head. Its
// error has the code BLOCK_NOT_INDEXED.
func (s *Snapshot) requireRange(ctx context.Context, from, to *evm.Long) error {
	if from != nil {
		r, ok, err := s.rangeContaining(ctx, coverage.KindIndexed, uint64(*from))
		if err != nil {
			return err
		}
		if ok && to != nil && uint64(*to) <= r.To {
			return nil
		}
	}
	ranges, err := s.covered(ctx)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		return notIndexed("nothing is indexed yet", ranges)
	}
	first, head := ranges[0].From, ranges[len(ranges)-1].To
	if from != nil {
		first = uint64(*from)
	}
	last := head
	if to != nil {
		// A range may reach beyond the head, but not begin there.
		last = min(uint64(*to), head)
	}
	for _, r := range ranges {
		if r.From <= first && first <= last && last <= r.To {
			return nil
		}
	}
	switch {
	case first < last:
		return notIndexed(fmt.Sprintf("not every block from %d to %d is indexed", first, last), ranges)
	case from == nil:
		return notIndexed(fmt.Sprintf("block %d is not indexed", last), ranges)
	default:
		return notIndexed(fmt.Sprintf("block %d is not indexed", first), ranges)
	}
}

// notIndexed names the indexed ranges, the last few of them if there are many.
func notIndexed(what string, ranges []Range) error {
	const most = 10
	shown := ranges[max(0, len(ranges)-most):]
	var names []string
	details := []map[string]uint64{}
	for _, r := range shown {
		names = append(names, fmt.Sprintf("%d to %d", r.From, r.To))
		details = append(details, map[string]uint64{"fromBlock": r.From, "toBlock": r.To})
	}
	e := nft.Errorf(nft.BlockNotIndexed, "%s", what)
	if len(names) > 0 {
		e.Message += ": indexed are " + strings.Join(names, ", ")
	}
	e.Details = map[string]any{"indexedRanges": details}
	return e
}
