package tables

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Coverage is ranges of blocks of several kinds: indexed, verified, final,
// linked, queued. Ranges of one kind neither overlap nor touch.

// Found returns false for the error with which ent says that there is no row.
func Found[T any](row T, err error) (T, bool, error) {
	if ent.IsNotFound(err) {
		return row, false, nil
	}
	return row, err == nil, err
}

// RangeOf returns the range of a row.
func RangeOf(row *ent.Coverage) evm.Range {
	return evm.Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
}

// Ranges returns the ranges of a kind in order.
func Ranges(ctx context.Context, client *ent.Client, kind coverage.Kind) (ranges []evm.Range, err error) {
	rows, err := client.Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	for _, row := range rows {
		ranges = append(ranges, RangeOf(row))
	}
	return ranges, nil
}

// RangeBelow returns the last range of a kind that begins at or below a block,
// and false if there is none.
func RangeBelow(ctx context.Context, client *ent.Client, kind coverage.Kind, number uint64) (evm.Range, bool, error) {
	row, found, err := Found(client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(number))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).First(ctx))
	if err != nil {
		return evm.Range{}, false, fmt.Errorf("reading coverage: %w", err)
	}
	if !found {
		return evm.Range{}, false, nil
	}
	return RangeOf(row), true, nil
}

// RangeContaining returns the range of a kind that contains a block, and false if
// there is none.
func RangeContaining(ctx context.Context, client *ent.Client, kind coverage.Kind, number uint64) (evm.Range, bool, error) {
	r, found, err := RangeBelow(ctx, client, kind, number)
	return r, found && number <= r.To, err
}

// Cover adds a range to those of a kind, and joins it with the ranges that it
// meets.
func Cover(ctx context.Context, client *ent.Client, kind coverage.Kind, r evm.Range) error {
	// The last range that begins before r, and those that begin within it or
	// right after it, are all that can meet it.
	before, err := client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(r.From))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	if len(before) > 0 && uint64(before[0].ToBlock) >= r.To {
		return nil
	}
	within, err := client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockGT(int64(r.From)), coverage.FromBlockLTE(int64(r.To)+1)).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	for _, row := range append(before, within...) {
		if uint64(row.ToBlock)+1 < r.From {
			continue
		}
		r = evm.Range{From: min(r.From, uint64(row.FromBlock)), To: max(r.To, uint64(row.ToBlock))}
		if err := client.Coverage.DeleteOne(row).Exec(ctx); err != nil {
			return fmt.Errorf("storing coverage: %w", err)
		}
	}
	return create(ctx, client, kind, []evm.Range{r})
}

// Uncover removes a range from those of a kind.
func Uncover(ctx context.Context, client *ent.Client, kind coverage.Kind, r evm.Range) error {
	rows, err := client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	for _, row := range rows {
		if err := client.Coverage.DeleteOne(row).Exec(ctx); err != nil {
			return fmt.Errorf("trimming coverage: %w", err)
		}
		if err := create(ctx, client, kind, Without([]evm.Range{RangeOf(row)}, r)); err != nil {
			return err
		}
	}
	return nil
}

// SetRanges replaces the ranges of a kind.
func SetRanges(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges []evm.Range) error {
	if _, err := client.Coverage.Delete().Where(coverage.KindEQ(kind)).Exec(ctx); err != nil {
		return fmt.Errorf("storing coverage: %w", err)
	}
	return create(ctx, client, kind, ranges)
}

func create(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges []evm.Range) error {
	for _, r := range ranges {
		if err := client.Coverage.Create().SetKind(kind).SetFromBlock(int64(r.From)).SetToBlock(int64(r.To)).Exec(ctx); err != nil {
			return fmt.Errorf("storing coverage: %w", err)
		}
	}
	return nil
}

// Common returns the parts of ranges, which are in order, within another.
func Common(ranges []evm.Range, with evm.Range) []evm.Range {
	list := make([]evm.Range, 0, len(ranges))
	for _, r := range ranges {
		if r.From <= with.To && r.To >= with.From {
			list = append(list, evm.Range{From: max(r.From, with.From), To: min(r.To, with.To)})
		}
	}
	return list
}

// Missing returns the parts of a range that are in none of others, which are in
// order.
func Missing(ranges []evm.Range, whole evm.Range) []evm.Range {
	var list []evm.Range
	for _, r := range Common(ranges, whole) {
		if whole.From < r.From {
			list = append(list, evm.Range{From: whole.From, To: r.From - 1})
		}
		whole.From = r.To + 1
	}
	if whole.From <= whole.To {
		list = append(list, whole)
	}
	return list
}

// Without returns ranges without the blocks of another.
func Without(ranges []evm.Range, removed evm.Range) (rest []evm.Range) {
	for _, r := range ranges {
		if removed.To < r.From || r.To < removed.From {
			rest = append(rest, r)
			continue
		}
		if r.From < removed.From {
			rest = append(rest, evm.Range{From: r.From, To: removed.From - 1})
		}
		if removed.To < r.To {
			rest = append(rest, evm.Range{From: removed.To + 1, To: r.To})
		}
	}
	return rest
}
