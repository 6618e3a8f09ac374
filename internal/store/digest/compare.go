package digest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Compare compares the next stored digests of a level from a block on with those that records, or
// digests of the level below, give. It calls differ with the blocks of each kind of records that
// differs, and returns the block to continue from, and false if no digests are left.
func (s *Source) Compare(ctx context.Context, level int, from uint64, differ func(evm.Range, nft.Kind)) (next uint64, more bool, err error) {
	covered, err := tables.Ranges(ctx, s.client, coverage.KindDigested)
	if err != nil {
		return 0, false, err
	}
	for _, r := range tables.Common(covered, evm.Range{From: from, To: tables.MaxBlock}) {
		buckets, some := whole(level, r)
		if !some {
			continue
		}
		if level == 1 {
			in, err := s.few(ctx, blocks(level, buckets))
			if err != nil {
				return 0, false, err
			}
			buckets.To = in.To >> bits
		} else {
			buckets.To = min(buckets.To, buckets.From+1<<bits-1)
		}
		return blocks(level, buckets).To + 1, true, s.compare(ctx, part{level, buckets}, differ)
	}
	return 0, false, nil
}

func (s *Source) compare(ctx context.Context, of part, differ func(evm.Range, nft.Kind)) error {
	has, err := stored(ctx, s.from, of)
	if err != nil {
		return err
	}
	want, err := s.rows(ctx, of)
	if damaged := new(damagedError); errors.As(err, &damaged) {
		if of.buckets.From == of.buckets.To {
			differ(blocks(of.level, of.buckets), damaged.kind)
			return nil
		}
		for bucket := of.buckets.From; bucket <= of.buckets.To; bucket++ {
			if err := s.compare(ctx, part{of.level, evm.Range{From: bucket, To: bucket}}, differ); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	both := map[uint64]*[2][2][]byte{}
	for side, rows := range [][]*row{has, want} {
		for _, r := range rows {
			if both[r.bucket] == nil {
				both[r.bucket] = new([2][2][]byte)
			}
			both[r.bucket][side] = r.sums
		}
	}
	for _, bucket := range slices.Sorted(maps.Keys(both)) {
		for i, kind := range kinds {
			if sums := both[bucket]; !bytes.Equal(sums[0][i], sums[1][i]) {
				differ(blocks(of.level, evm.Range{From: bucket, To: bucket}), kind)
			}
		}
	}
	return nil
}
