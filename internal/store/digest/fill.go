package digest

import (
	"context"
	"slices"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Add adds the digests of those groups of 64 blocks that a transaction adds whole. added are ranges of
// blocks that are new, blocks all of them that have records, in order.
func Add(ctx context.Context, tx *database.Tx, client *ent.Client, added []evm.Range, list []nft.Block) error {
	for _, r := range added {
		groups, some := whole(1, r)
		if !some {
			continue
		}
		in := blocks(1, groups)
		rows, err := collect(1, func(kind int, t *tree) error {
			from, _ := slices.BinarySearchFunc(list, in.From, func(b nft.Block, number uint64) int { return int(int64(b.Header.Number - number)) })
			for i := from; i < len(list) && list[i].Header.Number <= in.To; i++ {
				b := &list[i]
				records := [][]nft.Record{b.Mints, b.Burns}[kind]
				for n := range records {
					t.record(&records[n], b.Header.BlockRef, b.Header.Time)
				}
			}
			return nil
		})
		if err == nil {
			err = fill(ctx, Of(tx, client), tx, groups, rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fill stores the rows of groups of 64 blocks, and those of higher levels that are complete now.
func fill(ctx context.Context, s *Source, tx *database.Tx, groups evm.Range, rows []*row) error {
	in := blocks(1, groups)
	if err := put(ctx, tx, part{1, groups}, rows); err != nil {
		return err
	}
	if err := tables.Cover(ctx, s.client, coverage.KindDigested, in); err != nil {
		return err
	}
	covered, _, err := tables.RangeContaining(ctx, s.client, coverage.KindDigested, in.From)
	for level := 2; level <= Levels && err == nil; level++ {
		buckets, some := whole(level, covered)
		buckets = evm.Range{From: max(buckets.From, in.From>>(bits*level)), To: min(buckets.To, in.To>>(bits*level))}
		if !some || buckets.From > buckets.To {
			break
		}
		of := part{level, buckets}
		if rows, err = s.rows(ctx, of); err == nil {
			err = put(ctx, tx, of, rows)
		}
	}
	return err
}

// missing returns the first groups of 64 indexed blocks without digests, and false if there are none.
func (s *Source) missing(ctx context.Context) (in evm.Range, some bool, err error) {
	ranges, err := tables.RangesOf(ctx, s.client, coverage.KindIndexed, coverage.KindDigested)
	for _, r := range ranges[coverage.KindIndexed] {
		groups, some := whole(1, r)
		if !some {
			continue
		}
		if left := tables.Missing(ranges[coverage.KindDigested], blocks(1, groups)); len(left) > 0 {
			return blocks(1, evm.Range{From: left[0].From >> bits, To: left[0].To >> bits}), true, err
		}
	}
	return in, false, err
}

// Complete reports whether all groups of 64 indexed blocks have digests.
func (s *Source) Complete(ctx context.Context) (bool, error) {
	_, some, err := s.missing(ctx)
	return !some, err
}

// Fill adds the first missing digests, of about 10,000 records or of one group of 64 blocks that has
// more. It returns the number of blocks, 0 if none is missing.
func Fill(ctx context.Context, tx *database.Tx, client *ent.Client) (n uint64, err error) {
	s := Of(tx, client)
	in, some, err := s.missing(ctx)
	if err != nil || !some {
		return 0, err
	}
	if in, err = s.few(ctx, in); err != nil {
		return 0, err
	}
	of := part{1, evm.Range{From: in.From >> bits, To: in.To >> bits}}
	rows, err := s.rows(ctx, of)
	if err != nil {
		return 0, err
	}
	return in.To - in.From + 1, fill(ctx, s, tx, of.buckets, rows)
}
