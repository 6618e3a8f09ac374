package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Buckets returns the intervals that the page's range spans, empty ones too, with the
// records of the whole list: their totals add up to [Page.Total]. An end that neither a
// block nor a time bounds is that of the first or last record. Its errors have the code
// BAD_USER_INPUT: too many buckets, or a chain whose times fall.
func (p *Page) Buckets(ctx context.Context, interval Interval) ([]Bucket, error) {
	return p.buckets[interval.place()].get(func() ([]Bucket, error) { return p.readBuckets(ctx, interval) })
}

func (p *Page) readBuckets(ctx context.Context, interval Interval) ([]Bucket, error) {
	var ends [2]*uint64
	var fall *uint64
	err := p.snapshot.db.Together(ctx, 3, func(ctx context.Context, i int) (err error) {
		if i == 2 {
			_, err = getSetting(ctx, p.snapshot, tables.TimesFall, &fall)
			return err
		}
		ends[i], err = p.timeOf(ctx, i == 1)
		return err
	})
	switch {
	case err != nil:
		return nil, database.Wrap(err, "reading the times of %ss", p.query.kind)
	case fall != nil:
		return nil, timesFall("buckets", fmt.Sprint(*fall))
	case ends[0] == nil || ends[1] == nil || *ends[0] > *ends[1]:
		return []Bucket{}, nil
	}
	first := interval.number(*ends[0])
	n, values := interval.number(*ends[1])-first+1, uint64(1)
	if p.filter.Lists != nil {
		values = max(1, uint64(p.filter.Lists.size()))
	}
	if n > nft.MaxBuckets/values {
		return nil, tooManyBuckets(n, values)
	}
	buckets := make([]Bucket, n)
	for i := range buckets {
		b := first + uint64(i)
		buckets[i].FromTime, buckets[i].ToTime = evm.Long(interval.begin(b)), evm.Long(interval.begin(b+1))
	}
	if p.query.lo > p.query.hi {
		return buckets, nil
	}
	ranges, err := p.cut(ctx, buckets)
	if err == nil {
		err = p.snapshot.fill(ctx, p.query, buckets, ranges)
	}
	return buckets, database.Wrap(err, "totalling %ss", p.query.kind)
}

// tooManyBuckets is the error of n buckets of a list with so many values.
func tooManyBuckets(n, values uint64) error {
	if values == 1 {
		return nft.Errorf(nft.BadUserInput, "buckets: it would be %d: want at most %d: a shorter range of times or a longer interval", n, nft.MaxBuckets)
	}
	return nft.Errorf(nft.BadUserInput, "buckets: it would be %d for each of %d values: want at most %d: a shorter range of times, a longer interval or a shorter list", n, values, nft.MaxBuckets/values)
}

// timeOf returns the time of an end of the buckets: nil where there is none, because
// nothing bounds the end and there is no record.
func (p *Page) timeOf(ctx context.Context, last bool) (found *uint64, err error) {
	s, q := p.snapshot, p.query
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
		at, ok, err = endOf(ctx, s, block.Table, p.asked(), order)
	case bound == nil && q.lo <= q.hi:
		of := selection{lo: q.lo, hi: q.hi, limit: 1, fromHigh: last, columns: []string{mint.FieldID}}
		text, args := s.reading(q, "exists", of)
		ok, err = s.run(ctx, database.Statement{Text: text, Args: args, Read: func(row *database.Row) error {
			at = tables.BlockOf(row.Int64())
			return row.Err()
		}})
	}
	if err != nil || !ok {
		return found, err
	}
	h, _, err := header(ctx, s, at)
	if err == nil && (found == nil || !last && h.Time > *found || last && h.Time < *found) {
		found = &h.Time
	}
	return found, err
}

// cut returns the blocks of each bucket within the page's range, which may be none.
func (p *Page) cut(ctx context.Context, buckets []Bucket) ([]evm.Range, error) {
	s, blocks := p.snapshot, p.query.blocks()
	times := make([]int64, len(buckets)-1)
	for i := range times {
		times[i] = int64(buckets[i].ToTime)
	}
	ranges := make([]evm.Range, len(buckets))
	ranges[0].From = blocks.From
	i, table, dialect := 0, arrays{times}, s.store.db.Dialect()
	_, err := s.cached(ctx, statementKey{name: "cuts"}, func(*ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(dialect)
			b.WriteString("WITH k(t) AS ").Wrap(table.write).WriteString(" SELECT ")
			b.Wrap(func(b *entsql.Builder) { seekTime(b, ">=", func() { b.WriteString("k.t") }) }).WriteString(" FROM k")
		})
	}, table.args(dialect), func(row *database.Row) error {
		next := blocks.To + 1
		if !row.Null() {
			next = min(max(row.Unsigned(MaxBlock), blocks.From), next)
		}
		// A range without blocks ends before it begins.
		ranges[i].To, ranges[i+1].From = next, next
		i++
		return row.Err()
	})
	ranges[len(ranges)-1].To = blocks.To + 1
	return ranges, err
}
