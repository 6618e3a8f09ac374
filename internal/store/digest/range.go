package digest

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Digests are the digests of the mints and of the burns of a range of blocks.
type Digests struct{ Mints, Burns evm.Hash }

// segment are blocks whose digests are stored, or to be computed from records.
type segment struct {
	in     evm.Range
	stored bool
	rows   []*row
}

// Range returns the digests of blocks, which must be indexed, up to the largest number. What has no
// digests is computed from records, unless these are more than most and most is not negative: then it
// returns an [apierror.Error] with the code UNAVAILABLE or QUERY_TOO_COSTLY.
func (s *Source) Range(ctx context.Context, in evm.Range, most int64) (Digests, error) {
	list, err := s.segments(ctx, in)
	if err == nil && most >= 0 {
		err = s.checkFew(ctx, list, most)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		if l := &list[i]; l.stored {
			l.rows, err = stored(ctx, s.from, parts(l.in)...)
		}
	}
	if err != nil {
		return Digests{}, err
	}
	var sums [2]evm.Hash
	for kind := range kinds {
		t := newTree(nil)
		for _, l := range list {
			for _, r := range l.rows {
				if sum := r.sums[kind]; sum != nil {
					if len(sum) != len(evm.Hash{}) {
						return Digests{}, fmt.Errorf("reading digests: level %d, bucket %d: a digest has %d bytes, want %d", r.level, r.bucket, len(sum), len(evm.Hash{}))
					}
					t.add(r.level, r.bucket, sum)
				}
			}
			if l.stored {
				continue
			}
			if err := s.records(ctx, kinds[kind], l.in, t); err != nil {
				return Digests{}, err
			}
		}
		sums[kind] = t.all()
	}
	return Digests{sums[0], sums[1]}, nil
}

// segments divides blocks, in order.
func (s *Source) segments(ctx context.Context, in evm.Range) (list []segment, _ error) {
	if s.covered == nil {
		covered, err := tables.Ranges(ctx, s.client, coverage.KindDigested)
		if err != nil {
			return nil, err
		}
		s.covered = &covered
	}
	for _, r := range tables.Common(*s.covered, in) {
		if groups, some := whole(1, r); some {
			list = append(list, segment{in: blocks(1, groups), stored: true})
		}
	}
	var with []evm.Range
	for _, l := range list {
		with = append(with, l.in)
	}
	for _, r := range tables.Missing(with, in) {
		list = append(list, segment{in: r})
	}
	slices.SortFunc(list, func(a, b segment) int { return int(int64(a.in.From) - int64(b.in.From)) })
	return list, nil
}

// parts returns the fewest buckets that make whole groups of 64 blocks.
func parts(in evm.Range) (list []part) {
	for level := 1; in.From <= in.To; level++ {
		size := uint64(1) << (bits * level)
		add := func(from, to uint64) { list = append(list, part{level, evm.Range{From: from / size, To: to / size}}) }
		if level == Levels {
			add(in.From, in.To)
			break
		}
		// What is outside of the next level's buckets.
		above, some := whole(level+1, in)
		if !some {
			add(in.From, in.To)
			break
		}
		middle := blocks(level+1, above)
		if in.From < middle.From {
			add(in.From, middle.From-1)
		}
		if middle.To < in.To {
			add(middle.To+1, in.To)
		}
		in = middle
	}
	return list
}

// checkFew returns an error if the segments that are not stored have more records than most.
func (s *Source) checkFew(ctx context.Context, list []segment, most int64) error {
	left := most
	var lacking *evm.Range
	for _, l := range list {
		if l.stored {
			continue
		}
		if groups, some := whole(1, l.in); some && lacking == nil {
			lacking = new(blocks(1, groups))
		}
		for _, kind := range kinds {
			table := s.from.Builder().Table((&query.Query{Kind: kind}).Table())
			some := s.from.Builder().Select(mint.FieldID).From(table).Where(entsql.And(entsql.GTE(mint.FieldID, tables.FirstIn(l.in.From)), entsql.LTE(mint.FieldID, tables.LastIn(l.in.To)))).
				Limit(int(left) + 1).As("some")
			n, err := tables.Number(ctx, s.from, s.from.Builder().Select(entsql.Count("*")).From(some))
			if err != nil {
				return database.Wrap(err, "counting %ss", kind)
			}
			if left -= n; left >= 0 {
				continue
			}
			if lacking != nil {
				return apierror.Lasting("blocks %d to %d have no digests yet: mintburn migrate computes them", lacking.From, lacking.To)
			}
			return apierror.Errorf(apierror.QueryTooCostly, "fromBlock and toBlock: blocks %d to %d have more than %d records, want ends at multiples of 64", l.in.From, l.in.To, most)
		}
	}
	return nil
}

// Digested are blocks with their digests.
type Digested struct {
	evm.Range
	Digests
}

// String returns a line that a publisher can sign.
func (d Digested) String() string {
	return fmt.Sprintf("Blocks %d to %d: mints %s, burns %s.", d.From, d.To, d.Mints, d.Burns)
}

// Indexed returns the digests of each range of indexed blocks. What has none is computed from records.
func (s *Source) Indexed(ctx context.Context) (list []Digested, err error) {
	ranges, err := tables.Ranges(ctx, s.client, coverage.KindIndexed)
	for i := 0; i < len(ranges) && err == nil; i++ {
		of := Digested{Range: ranges[i]}
		of.Digests, err = s.Range(ctx, of.Range, -1)
		list = append(list, of)
	}
	return list, err
}
