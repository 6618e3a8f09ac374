package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/mint"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// bucketed is a query to split into buckets, with its filter and the blocks that it spans.
type bucketed struct {
	*query.Query
	filter *Filter
	asked  evm.Range
}

// readBuckets implements [RecordPage.Buckets].
func readBuckets(ctx context.Context, s *read.Snapshot, p bucketed, interval page.Interval, ends bool) ([]page.Bucket, error) {
	var bounds [2]*uint64
	var fall *uint64
	err := s.Tx.Together(ctx, 3, func(ctx context.Context, i int) (err error) {
		if i == 2 {
			_, err = read.GetSetting(ctx, s, tables.TimesFall, &fall)
			return err
		}
		bounds[i], err = p.timeOf(ctx, s, i == 1)
		return err
	})
	switch {
	case err != nil:
		return nil, database.Wrap(err, "reading the times of %ss", p.Kind)
	case fall != nil:
		return nil, read.TimesFall("buckets", fmt.Sprint(*fall))
	case bounds[0] == nil || bounds[1] == nil || *bounds[0] > *bounds[1]:
		return []page.Bucket{}, nil
	}
	first := interval.Number(*bounds[0])
	n, values := interval.Number(*bounds[1])-first+1, max(1, uint64(p.filter.size()))
	most := uint64(apierror.MaxBuckets)
	if p.filter.FromTime != nil && p.filter.ToTime != nil {
		most = apierror.MaxTimedBuckets
	}
	if n > most/values {
		return nil, apierror.TooManyBuckets(n, values, most)
	}
	buckets := make([]page.Bucket, n)
	for i := range buckets {
		b := first + uint64(i)
		buckets[i].FromTime, buckets[i].ToTime = evm.Long(interval.Begin(b)), evm.Long(interval.Begin(b+1))
	}
	if p.Lo > p.Hi {
		return buckets, nil
	}
	ranges, err := p.cut(ctx, s, buckets)
	if err == nil {
		err = fillBuckets(ctx, s, p.Query, buckets, ranges, ends)
	}
	return buckets, database.Wrap(err, "totalling %ss", p.Kind)
}

// timeOf returns the time at the beginning of the buckets or, with last, at their end. It
// returns nil if nothing bounds that side and there is no record.
func (p bucketed) timeOf(ctx context.Context, s *read.Snapshot, last bool) (found *uint64, err error) {
	bound, number, order := p.filter.FromTime, p.filter.FromBlock, entsql.Asc(block.FieldID)
	if last {
		bound, number, order = p.filter.ToTime, p.filter.ToBlock, entsql.Desc(block.FieldID)
	}
	if bound != nil {
		t := uint64(*bound)
		found = &t
	}
	var at uint64
	ok := false
	switch {
	case number != nil || p.filter.Block != nil:
		at, ok, err = read.EndOf(ctx, s, block.Table, p.asked, order)
	case bound == nil && p.Lo <= p.Hi:
		of := query.Selection{Lo: p.Lo, Hi: p.Hi, Limit: 1, FromHigh: last, Columns: []string{mint.FieldID}}
		text, args := s.StatementOf(p.Query, "exists", of)
		ok, err = s.Run(ctx, database.Statement{Text: text, Args: args, Read: func(row *database.Row) error {
			at = tables.BlockOf(row.Int64())
			return row.Err()
		}})
	}
	if err != nil || !ok {
		return found, err
	}
	h, _, err := read.Header(ctx, s, at)
	if err == nil && (found == nil || !last && h.Time > *found || last && h.Time < *found) {
		found = &h.Time
	}
	return found, err
}

// cut returns the range of blocks of each bucket within the page's range. The To of a
// range is the first block after it; a range with From >= To is empty.
func (p bucketed) cut(ctx context.Context, s *read.Snapshot, buckets []page.Bucket) ([]evm.Range, error) {
	blocks := p.Blocks()
	times := make([]int64, len(buckets)-1)
	for i := range times {
		times[i] = int64(buckets[i].ToTime)
	}
	ranges := make([]evm.Range, len(buckets))
	ranges[0].From = blocks.From
	i, table, dialect := 0, query.Arrays{times}, s.DB.Database.Dialect()
	_, err := s.Cached(ctx, query.Key{Name: "cuts"}, func(*ent.Client) entsql.Querier {
		return table.Select(dialect, "k(t)", func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { query.SeekTime(b, ">=", func() { b.WriteString("k.t") }) }).WriteString(" FROM k")
		})
	}, table.Args(dialect), func(row *database.Row) error {
		next := blocks.To + 1
		if !row.Null() {
			next = min(row.Unsigned(tables.MaxBlock), next)
		}
		ranges[i].To, ranges[i+1].From = next, next
		i++
		return row.Err()
	})
	ranges[len(ranges)-1].To = blocks.To + 1
	return ranges, err
}

// fillBuckets adds the records that a query selects in each range of blocks to the bucket
// of the range. The To of a range is the first block after it. The values of a list are
// counted separately, because no two values select the same record.
func fillBuckets(ctx context.Context, s *read.Snapshot, q *query.Query, buckets []page.Bucket, ranges []evm.Range, ends bool) error {
	var filled []evm.Range
	var of []*page.Bucket
	for i, r := range ranges {
		if r.From < r.To {
			filled, of = append(filled, evm.Range{From: r.From, To: r.To - 1}), append(of, &buckets[i])
		}
	}
	values := q.Values()
	found := make([][]total.Bucket, len(values))
	err := s.Tx.Together(ctx, len(values), func(ctx context.Context, i int) (err error) {
		found[i], err = total.Buckets(ctx, s, values[i], filled, ends)
		return err
	})
	for _, list := range found {
		for i, t := range list {
			if t.N == 0 {
				continue
			}
			b := of[i]
			if b.TotalItems += evm.Long(t.N); !ends {
				continue
			}
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
