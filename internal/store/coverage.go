package store

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
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
	t := s.builder().Table(coverage.Table)
	statement := s.builder().Select(t.Columns(coverage.FieldFromBlock, coverage.FieldToBlock)...).From(t).
		Where(entsql.EQ(t.C(coverage.FieldKind), kind)).OrderBy(t.C(coverage.FieldFromBlock))
	var ranges []Range
	err := s.query(ctx, statement, func(rows *rowReader) error {
		var r Range
		err := rows.Scan(&r.From, &r.To)
		ranges = append(ranges, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	return ranges, nil
}

// around returns the indexed range that holds a block.
func (s *Snapshot) around(ctx context.Context, number uint64) (Range, bool, error) {
	var r Range
	found, err := s.fixed(ctx, "around", func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(coverage.Table)
		return b.Select(t.Columns(coverage.FieldFromBlock, coverage.FieldToBlock)...).From(t).
			Where(entsql.And(entsql.EQ(t.C(coverage.FieldKind), coverage.KindIndexed), entsql.LTE(t.C(coverage.FieldFromBlock), number))).
			OrderBy(entsql.Desc(t.C(coverage.FieldFromBlock))).Limit(1)
	}, []any{string(coverage.KindIndexed), number}, &r.From, &r.To)
	if err != nil {
		return r, false, fmt.Errorf("reading coverage: %w", err)
	}
	return r, found && number <= r.To, nil
}

// requireRange makes sure that every block from one to the other is indexed,
// where nil is the first or the last that is; to may lie beyond the head. Its
// error has the code BLOCK_NOT_INDEXED.
func (s *Snapshot) requireRange(ctx context.Context, from, to *evm.Long) error {
	if from != nil {
		r, ok, err := s.around(ctx, uint64(*from))
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
	var details []map[string]uint64
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
