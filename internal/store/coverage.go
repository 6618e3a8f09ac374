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
	"mintburn/internal/store/tables"
)

// rangeColumns are the columns of coverage that make a range.
var rangeColumns = []string{coverage.FieldFromBlock, coverage.FieldToBlock}

// rangeContaining returns the range of a kind that contains a block.
func rangeContaining(ctx context.Context, s *Snapshot, kind coverage.Kind, number uint64) (Range, bool, error) {
	// A Long is below 2^53.
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

// requireRange makes sure that every block from one to the other is indexed,
// where nil is the first or the last that is; to may lie beyond the head. Its
// error has the code BLOCK_NOT_INDEXED.
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
		return notIndexed(fmt.Sprintf("not every block from %d to %d is indexed", first, last), ranges, tables.Missing(ranges, Range{From: first, To: last}))
	case from == nil:
		first = last
	}
	return notIndexed(fmt.Sprintf("block %d is not indexed", first), ranges, []Range{{From: first, To: first}})
}

// mayBeMissing is the error of a question whose answer may lie in the holes
// between the indexed ranges.
func mayBeMissing(ranges []Range) error {
	holes := tables.Missing(ranges, Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	return notIndexed("the answer may lie in blocks that are not indexed: want fromBlock and toBlock within an indexed range, or partial: true", ranges, holes)
}

// addHoles adds to a statement whether there is more than one indexed range.
func addHoles(s *entsql.Selector) {
	builder := entsql.Dialect(s.Dialect())
	bound := func(of string) *entsql.Selector {
		t := builder.Table(coverage.Table)
		indexed := entsql.P(func(b *entsql.Builder) {
			// Not an argument: those of a page are its conditions'.
			b.Ident(t.C(coverage.FieldKind)).WriteString(" = '" + coverage.KindIndexed.String() + "'")
		})
		return builder.Select(of).From(t).Where(indexed)
	}
	s.AppendSelectExpr(entsql.ExprFunc(func(b *entsql.Builder) {
		b.Wrap(func(b *entsql.Builder) { b.Join(bound(entsql.Min(coverage.FieldFromBlock))) })
		b.WriteOp(entsql.OpLT)
		b.Wrap(func(b *entsql.Builder) { b.Join(bound(entsql.Max(coverage.FieldFromBlock))) })
	}))
}

// notIndexed names the indexed and the missing ranges, the last few of each if
// there are many.
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

// lastFew names the last few of some ranges.
func lastFew(ranges []Range) (names []string, details []map[string]uint64) {
	const most = 10
	details = []map[string]uint64{}
	for _, r := range ranges[max(0, len(ranges)-most):] {
		names = append(names, fmt.Sprintf("%d to %d", r.From, r.To))
		details = append(details, map[string]uint64{"fromBlock": r.From, "toBlock": r.To})
	}
	return names, details
}
