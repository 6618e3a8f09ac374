package store

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/store/counter"
)

// Much is stored twice, because reading it from the rows would take too long: the
// counters repeat the numbers of records, coverage says which blocks the rows are
// of, counts repeat the documents. A check compares both sides and asks no node.
//
// It reads a bounded part at a time, each in a snapshot of its own, so that it may
// run beside writers; a repair reads again what it relies on, within its own
// transaction. What the rows cannot decide is left, and the line of the difference
// ends with the command that decides it.

// CheckOptions tune [Store.Check].
type CheckOptions struct {
	// Repair changes what differs, where the rows say how.
	Repair bool
	// Lead, if not nil, is called before each repair, to take the lease.
	Lead func() error
	// Report is called with each difference: one line that says what differs and
	// where.
	Report func(line string)
	// Note, if not nil, is called with a line for each check that this database
	// does not offer.
	Note func(line string)
	// Progress, if not nil, is called with numbers of rows that were compared.
	Progress func(rows int64)
}

// Checked says what [Store.Check] found.
type Checked struct {
	// Differences were found; Left are those of them that are still there.
	Differences, Left int
}

const (
	// checkPage is how many rows a check reads at once.
	checkPage = 20_000
	// checkRounds is how often everything is compared again after repairs, at
	// most: a repair may show another difference.
	checkRounds = 5
	// repairedAtOnce is how many repairs one transaction makes at most.
	repairedAtOnce = 1_000
	// maxSeen is how many lines a check remembers in order not to repeat them.
	maxSeen = 1 << 20
)

// checker is a check that runs.
type checker struct {
	store *Store
	opts  CheckOptions
	// found counts different lines, left those of this round, repairs the
	// transactions of this round.
	found, left, repairs int
	round                int
	seed                 maphash.Seed
	// seen has the last round in which a line was reported.
	seen map[uint64]int
}

func newChecker(s *Store, opts CheckOptions) *checker {
	return &checker{store: s, opts: opts, seed: maphash.MakeSeed(), seen: map[uint64]int{}}
}

func (c *checker) checked() Checked { return Checked{Differences: c.found, Left: c.left} }

// differ reports a difference, once.
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

// compared adds to the progress.
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

// read calls f with a snapshot.
func (c *checker) read(ctx context.Context, f func(*Snapshot) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	snapshot := c.store.Snapshot()
	defer snapshot.end(&err)
	return f(snapshot)
}

// repair runs f in a transaction if the check repairs.
func (c *checker) repair(ctx context.Context, f func(context.Context, *writer) error) error {
	if !c.opts.Repair {
		return nil
	}
	if c.opts.Lead != nil {
		if err := c.opts.Lead(); err != nil {
			return err
		}
	}
	c.repairs++
	err := c.store.write(ctx, func(ctx context.Context, w *writer) error {
		if err := renew(ctx, w); err != nil {
			return err
		}
		return f(ctx, w)
	})
	return database.Wrap(err, "repairing")
}

// repairEach calls repair for each of a list if the check repairs, in transactions
// of at most repairedAtOnce of them.
func repairEach[T any](ctx context.Context, c *checker, list []T, repair func(context.Context, *writer, T) error) error {
	for part := range slices.Chunk(list, repairedAtOnce) {
		err := c.repair(ctx, func(ctx context.Context, w *writer) error {
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

// pageEnd returns the id that ends a page of a table's rows above another id, and
// false if there are none.
func pageEnd(ctx context.Context, s *Snapshot, table string, above int64) (last int64, found bool, err error) {
	builder := s.db.Builder()
	ids := builder.Select("id").From(builder.Table(table)).Where(entsql.GT("id", above)).OrderBy("id").Limit(checkPage).As("ids")
	statement := builder.Select().AppendSelect(entsql.Max(ids.C("id"))).From(ids)
	err = s.db.Query(ctx, statement, func(row *database.Row) error {
		if row.Null() {
			return nil
		}
		found, last = true, row.Int64()
		return row.Err()
	})
	return last, found, database.Wrap(err, "reading %s", table)
}

// pages calls f for each page of a table's rows, with a snapshot of its own: the
// rows whose ids are above the one and not above the other.
func (c *checker) pages(ctx context.Context, table string, f func(s *Snapshot, above, last int64) error) error {
	for above, found := int64(-1), true; found; {
		err := c.read(ctx, func(s *Snapshot) (err error) {
			var last int64
			if last, found, err = pageEnd(ctx, s, table, above); err != nil || !found {
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

// contractName is a contract in the line of a difference.
func contractName(ctx context.Context, s *Snapshot, id int64) string {
	addresses, err := contractAddresses(ctx, s, []int64{id})
	if err != nil {
		return fmt.Sprintf("number %d", id)
	}
	return addresses[0].String()
}

// scopeName is a valid scope in the line of a difference.
func scopeName(ctx context.Context, s *Snapshot, of counter.Scope) string {
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
