package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Some data is stored twice, because deriving it from the rows would take too long:
// counters repeat the numbers of records, coverage repeats which blocks are stored, counts
// repeat the documents. A check compares both sides. It sends no request to a node.
//
// A check reads bounded parts, each in its own snapshot, so it can run while others write.
// A repair reads its input again in its own transaction. If the rows cannot decide a
// difference, its line ends with the command that does, or says that nothing does.

// Options configure [Run].
type Options struct {
	// Repair fixes the differences that the rows can decide.
	Repair bool
	// Lead, if not nil, is called before each repair, to acquire the lease.
	Lead func() error
	// Report is called with one line for each difference: what differs, and where.
	Report func(line string)
	// Note, if not nil, is called with one line for each check that this database does
	// not support.
	Note func(line string)
	// Progress, if not nil, is called with the approximate number of rows compared since
	// the last call.
	Progress func(rows int64)
}

// Result is the result of [Run].
type Result struct {
	// Differences is the number of differences found, Left the number that remain.
	Differences, Left int
}

const (
	// checkPage is how many rows a check reads at once.
	checkPage = 20_000
	// checkRounds is how often everything is compared at most: a repair may reveal
	// another difference.
	checkRounds = 5
	// repairedAtOnce is the maximum number of repairs in one transaction.
	repairedAtOnce = 1_000
	// maxSeen is how many lines a check remembers so that it does not repeat them.
	maxSeen = 1 << 20
)

// checker is a running check.
type checker struct {
	store *write.DB
	opts  Options
	// found counts the distinct lines, left the lines of this round, repairs the
	// repairing transactions of this round.
	found, left, repairs int
	round                int
	// damaged is set if a row can't be read.
	damaged bool
	seed    maphash.Seed
	// seen maps the hash of a line to the last round that found it.
	seen map[uint64]int
}

func newChecker(s *write.DB, opts Options) *checker {
	return &checker{store: s, opts: opts, seed: maphash.MakeSeed(), seen: map[uint64]int{}}
}

func (c *checker) checked() Result { return Result{Differences: c.found, Left: c.left} }

// Ends of the lines of differences that a check does not repair.
const (
	restored = "; verify --repair restores it"
	lost     = "; nothing restores it but a backup"
	// refetched is for documents.
	refetched = "; a new fetch replaces it (metadata --recheck)"
)

// differ counts a difference once a round, and reports it once.
func (c *checker) differ(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	hash := maphash.String(c.seed, line)
	last, known := c.seen[hash]
	if known && last == c.round {
		return
	}
	if c.left++; known || len(c.seen) < maxSeen {
		c.seen[hash] = c.round
	}
	if known {
		return
	}
	c.found++
	c.opts.Report(line)
}

// compared reports the progress.
func (c *checker) compared(rows int64) {
	if c.opts.Progress != nil {
		c.opts.Progress(rows)
	}
}

func (c *checker) note(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); c.opts.Note != nil {
		c.opts.Note(line)
	}
}

// read calls f with a new snapshot.
func (c *checker) read(ctx context.Context, f func(*read.Snapshot) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	snapshot := c.store.Snapshot()
	defer snapshot.End(&err)
	return f(snapshot)
}

// repair runs f in a transaction if the check repairs.
func (c *checker) repair(ctx context.Context, f func(context.Context, *write.Tx) error) error {
	if !c.opts.Repair {
		return nil
	}
	if c.opts.Lead != nil {
		if err := c.opts.Lead(); err != nil {
			return err
		}
	}
	c.repairs++
	return database.Wrap(c.store.Write(ctx, f), "repairing")
}

// repairEach calls repair for each item of a list if the check repairs, at most
// repairedAtOnce items in one transaction.
func repairEach[T any](ctx context.Context, c *checker, list []T, repair func(context.Context, *write.Tx, T) error) error {
	for part := range slices.Chunk(list, repairedAtOnce) {
		err := c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
			for _, one := range part {
				if err := repair(ctx, w, one); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pageEnd returns the last id in a column of the page of rows above an id, and false if there are
// no such rows.
func pageEnd(ctx context.Context, s *read.Snapshot, table, column string, above int64) (last int64, found bool, err error) {
	builder := s.Tx.Builder()
	ids := builder.Select(column).From(builder.Table(table)).Where(entsql.GT(column, above)).OrderBy(column).Limit(checkPage).As("ids")
	statement := builder.Select().AppendSelect(entsql.Max(ids.C(column))).From(ids)
	err = s.Tx.Query(ctx, statement, func(row *database.Row) error {
		if row.Null() {
			return nil
		}
		found, last = true, row.Int64()
		return row.Err()
	})
	return last, found, database.Wrap(err, "reading %s", table)
}

// pages calls f for each page of a table's rows, each time with a new snapshot. A page
// contains the ids in (above, last].
func (c *checker) pages(ctx context.Context, table string, f func(s *read.Snapshot, above, last int64) error) error {
	return c.pagesBy(ctx, table, "id", f)
}

// pagesBy is pages by the values of another column. Rows of one value are on one page.
func (c *checker) pagesBy(ctx context.Context, table, column string, f func(s *read.Snapshot, above, last int64) error) error {
	for above, found := int64(-1), true; found; {
		err := c.read(ctx, func(s *read.Snapshot) (err error) {
			var last int64
			if last, found, err = pageEnd(ctx, s, table, column, above); err != nil || !found {
				return err
			}
			from := above
			above = last
			return f(s, from, last)
		})
		if err != nil {
			return err
		}
		c.compared(checkPage)
	}
	return nil
}

// contractName returns the name of a contract for the line of a difference: its address,
// or its number if it has none.
func contractName(ctx context.Context, s *read.Snapshot, id int64) string {
	addresses, err := read.ContractAddresses(ctx, s, []int64{id})
	if err != nil {
		return fmt.Sprintf("number %d", id)
	}
	return addresses[0].String()
}

// scopeName returns the name of a valid scope for the line of a difference.
func scopeName(ctx context.Context, s *read.Snapshot, of counter.Scope) string {
	f, _ := of.Filter()
	name := f.Kind.String() + "s"
	if f.Token != nil {
		name += " of token " + f.Token.String()
	}
	if f.Account != nil {
		name += " of account " + f.Account.String()
	}
	if f.Contract != nil {
		name += " of collection " + contractName(ctx, s, *f.Contract)
	}
	return name
}
