package digest

import (
	"context"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Table is the table of stored digests. ent supports no keys of two columns, so this package writes
// the statements itself.
const Table = "digests"

var columns = []string{"level", "bucket", "mints", "burns"}

// row are the digests of the blocks from bucket * 64^level on; by kind, nil without records.
type row struct {
	level  int
	bucket uint64
	sums   [2][]byte
}

// AppendValues implements [database.Entity].
func (r *row) AppendValues(args []any, _ []string) ([]any, error) {
	args = append(args, int64(r.level), int64(r.bucket))
	for _, sum := range r.sums {
		if sum == nil {
			args = append(args, nil)
		} else {
			args = append(args, sum)
		}
	}
	return args, nil
}

// blocks returns the blocks that a level's buckets cover.
func blocks(level int, buckets evm.Range) evm.Range {
	return evm.Range{From: buckets.From << (bits * level), To: (buckets.To+1)<<(bits*level) - 1}
}

// whole returns the buckets of a level whose blocks are all in r, and false if there are none.
func whole(level int, r evm.Range) (buckets evm.Range, some bool) {
	size := uint64(1) << (bits * level)
	from, end := (r.From+size-1)/size, (r.To+1)/size
	return evm.Range{From: from, To: end - 1}, from < end
}

// stored returns the stored rows of some buckets, in the order of their first blocks.
func stored(ctx context.Context, from tables.Querier, parts ...part) (rows []*row, err error) {
	which := make([]*entsql.Predicate, len(parts))
	for i, p := range parts {
		which[i] = entsql.And(entsql.EQ("level", p.level), entsql.GTE("bucket", p.buckets.From), entsql.LTE("bucket", p.buckets.To))
	}
	list := from.Builder().Select(columns...).From(entsql.Table(Table).Unquote()).Where(entsql.Or(which...))
	err = from.Query(ctx, list, func(values *database.Row) error {
		values.Begin(Table, columns)
		r := &row{level: int(values.Unsigned(Levels)), bucket: values.Unsigned(tables.MaxBlock)}
		for i := range r.sums {
			if !values.Null() {
				r.sums[i] = slices.Clone(values.Bytes())
			}
		}
		rows = append(rows, r)
		return values.Err()
	})
	slices.SortFunc(rows, func(a, b *row) int { return int(int64(a.bucket<<(bits*a.level)) - int64(b.bucket<<(bits*b.level))) })
	return rows, database.Wrap(err, "reading digests")
}

// part are buckets of a level.
type part struct {
	level   int
	buckets evm.Range
}

// collect returns the rows of a level that the digests below it give. feed adds those of a kind to a tree.
func collect(level int, feed func(kind int, t *tree) error) ([]*row, error) {
	found := map[uint64]*row{}
	for kind := range kinds {
		t := newTree(func(of int, number uint64, digest []byte) {
			if of != level {
				return
			}
			if found[number] == nil {
				found[number] = &row{level: level, bucket: number}
			}
			found[number].sums[kind] = digest
		})
		if err := feed(kind, t); err != nil {
			return nil, err
		}
		t.all()
	}
	rows := make([]*row, 0, len(found))
	for _, bucket := range slices.Sorted(maps.Keys(found)) {
		rows = append(rows, found[bucket])
	}
	return rows, nil
}

// put replaces the rows of a level's buckets.
func put(ctx context.Context, tx *database.Tx, of part, rows []*row) error {
	former := tx.Builder().Delete(Table).Where(entsql.And(entsql.EQ("level", of.level), entsql.GTE("bucket", of.buckets.From), entsql.LTE("bucket", of.buckets.To)))
	if _, err := tx.Exec(ctx, former); err != nil {
		return database.Wrap(err, "removing digests")
	}
	into := tx.Inserter(Table, columns)
	for _, r := range rows {
		if err := into.Add(ctx, r); err != nil {
			return err
		}
	}
	return into.Flush(ctx)
}
