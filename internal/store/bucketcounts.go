package store

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// fillBuckets adds the records that a query selects in each range of blocks to the bucket
// of the range. The To of a range is the first block after it. The values of a list are
// counted separately, because no two values select the same record.
func fillBuckets(ctx context.Context, s *read.Snapshot, q *query.Query, buckets []Bucket, ranges []evm.Range) error {
	var filled []evm.Range
	var of []*Bucket
	for i, r := range ranges {
		if r.From < r.To {
			filled, of = append(filled, evm.Range{From: r.From, To: r.To - 1}), append(of, &buckets[i])
		}
	}
	values := q.Values()
	found := make([][]total.Bucket, len(values))
	err := s.Tx.Together(ctx, len(values), func(ctx context.Context, i int) (err error) {
		found[i], err = total.Buckets(ctx, s, values[i], filled)
		return err
	})
	for _, list := range found {
		for i, t := range list {
			if t.N == 0 {
				continue
			}
			b := of[i]
			b.TotalItems += evm.Long(t.N)
			first, last := evm.Long(tables.BlockOf(t.First)), evm.Long(tables.BlockOf(t.Last))
			if b.FromBlock == nil || first < *b.FromBlock {
				b.FromBlock = &first
			}
			if b.ToBlock == nil || last > *b.ToBlock {
				b.ToBlock = &last
			}
		}
	}
	return err
}
