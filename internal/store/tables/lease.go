package tables

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/lease"
	"mintburn/internal/database"
)

const (
	// LeaseID is the id of the only row of leases.
	LeaseID = "writer"
	// TermTime is how long a process has the lease after it last renewed it.
	TermTime = 8 * time.Second
	// WantedTime is how long a command that waits asks for the lease each time.
	WantedTime = 3 * time.Second
)

// Querier is a snapshot or a writing transaction.
type Querier interface {
	Query(ctx context.Context, statement entsql.Querier, read func(*database.Row) error) error
	Builder() *entsql.DialectBuilder
}

// Term is the row of the lease.
type Term struct {
	Epoch  int64
	Holder string
	// Live is set while the term has not ended, Wanted while a command asks for the lease.
	Live, Wanted bool
}

// ReadTerm returns the term of the lease. clock is the database's, see
// [database.DB.Clock]. With lock, no other process takes the lease before the end of the
// transaction.
func ReadTerm(ctx context.Context, from Querier, clock string, lock bool) (t Term, err error) {
	// A time further in the future was set while the clock was ahead.
	within := func(column string, most time.Duration) entsql.Querier {
		return entsql.Raw(fmt.Sprintf("%s - %s BETWEEN 1 AND %d", column, clock, most.Milliseconds()))
	}
	row := from.Builder().Select(lease.FieldEpoch, lease.FieldHolder).AppendSelectExpr(within(lease.FieldEndsAt, TermTime), within(lease.FieldWantedUntil, WantedTime)).
		From(entsql.Table(lease.Table)).Where(entsql.EQ(lease.FieldID, LeaseID))
	if lock && row.Dialect() == dialect.Postgres {
		row.For(entsql.LockKeyShare)
	}
	err = from.Query(ctx, row, func(r *database.Row) error { return r.Values(&t.Epoch, &t.Holder, &t.Live, &t.Wanted) })
	return t, database.Wrap(err, "reading the lease")
}
