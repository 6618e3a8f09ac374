package lease

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/lease"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// TermTime is how long a process has the lease after it last renewed it.
const TermTime = tables.TermTime

// A term is renewed every renewTime. A process that waits for the lease reads it every
// lookTime. A command that waits also asks for it, each time for [tables.WantedTime].
const (
	renewTime = 2 * time.Second
	lookTime  = time.Second
)

// Since separates the holder of a lease from the time at which it took it, see
// [Options.Now].
const Since = ", since "

// Error reports that another process has the lease.
type Error struct {
	// Holder names the process.
	Holder string
}

// Error returns a single line.
func (e *Error) Error() string { return "the database is being written by " + e.Holder }

// Lease is the lease of a database, as one process sees it. It is safe for concurrent
// use.
type Lease struct {
	db *database.DB
	// version is the schema version that this program knows.
	version int64
	// own is the current term of this process, or nil.
	own atomic.Pointer[Term]
}

// New returns the lease of a database. version is the schema version that this program
// knows; it takes the lease only while that is compatible with the database.
func New(db *database.DB, version int64) *Lease { return &Lease{db: db, version: version} }

// Held reports whether this process has the lease, as far as it knows.
func (l *Lease) Held() bool { return l.own.Load() != nil }

// Require fails with an [*Error] if another process has the lease. Otherwise no other
// process takes it before the end of the transaction. It returns the epoch of the last term,
// of any process.
func (l *Lease) Require(ctx context.Context, tx *database.Tx) (epoch int64, err error) {
	now, err := l.read(ctx, tx, true)
	if err != nil {
		return 0, err
	}
	own := l.own.Load()
	if own == nil && now.Live || own != nil && own.epoch != now.Epoch {
		return 0, &Error{now.Holder}
	}
	return now.Epoch, nil
}

// Renew renews the lease at the end of a transaction of SQLite, because the regular
// renewals have waited for the transaction. It does nothing on PostgreSQL.
func (l *Lease) Renew(ctx context.Context, tx *database.Tx) (err error) {
	if own := l.own.Load(); own != nil && tx.Dialect() == dialect.SQLite {
		_, err = own.renew(ctx, tx)
	}
	return err
}

// read returns the term. With lock, no other process takes the lease before the end of the
// transaction.
func (l *Lease) read(ctx context.Context, from tables.Querier, lock bool) (tables.Term, error) {
	return tables.ReadTerm(ctx, from, l.db.Clock(), lock)
}

// requireCompatible fails with a [*database.SchemaError] if the schema is too new for this
// program.
func (l *Lease) requireCompatible(ctx context.Context, tx *database.Tx) error {
	value, _, err := tables.Setting(ctx, ent.NewClient(ent.Driver(tx.Driver())), tables.CompatibleFrom)
	if err == nil {
		err = tables.CheckCompatible(value, l.version)
	}
	return err
}

// set changes the row if it still has the given epoch, and reports whether it did.
func (l *Lease) set(ctx context.Context, tx *database.Tx, epoch int64, change func(*entsql.UpdateBuilder)) (changed bool, err error) {
	update := tx.Builder().Update(lease.Table).Where(entsql.And(entsql.EQ(lease.FieldID, tables.LeaseID), entsql.EQ(lease.FieldEpoch, epoch)))
	change(update)
	n, err := tx.Exec(ctx, update)
	return n == 1, err
}

// in returns the expression of the database's time plus d.
func (l *Lease) in(d time.Duration) entsql.Querier {
	return entsql.Raw(fmt.Sprintf("%s + %d", l.db.Clock(), d.Milliseconds()))
}

// Options tune [Lease.Take].
type Options struct {
	// Holder names the process, for users who wait for it.
	Holder string
	// Now, if not nil, is the clock for the time of taking the lease, which is stored
	// after Holder.
	Now func() time.Time
	// Yields is set for a process that leaves the lease to those that wait for it and
	// do not yield: followers yield to commands. [Term.Asked] says when.
	Yields bool
	// Waits, if not nil, is called with each holder that Take waits for.
	Waits func(holder string)
}

// Retake takes the lease again after another process has taken it from this one, with the
// options of the last [Lease.Take], which must have succeeded.
func (l *Lease) Retake(ctx context.Context) error {
	lost := l.own.Load()
	lost.stop()
	<-lost.ended
	_, err := l.Take(ctx, lost.opts)
	return err
}

// Term is the time for which a process has the lease.
type Term struct {
	lease *Lease
	epoch int64
	opts  Options
	// asked is closed when the lease is lost, or when a command asks for it.
	asked chan struct{}
	// stop ends the renewals; ended is closed after the last one. giveBack then ends the
	// term.
	stop     context.CancelFunc
	ended    chan struct{}
	giveBack func() error
}

// Take waits until no other process has the lease, and takes it until [Term.Release]. A
// process has one term at a time.
func (l *Lease) Take(ctx context.Context, opts Options) (*Term, error) {
	for told := ""; ; {
		epoch, holder, err := l.try(ctx, opts)
		if err != nil {
			return nil, database.Wrap(err, "taking the lease")
		}
		if epoch > 0 {
			unending := context.WithoutCancel(ctx)
			renewing, stop := context.WithCancel(unending)
			t := &Term{lease: l, epoch: epoch, opts: opts, asked: make(chan struct{}), stop: stop, ended: make(chan struct{})}
			t.giveBack = func() error { return t.end(unending) }
			l.own.Store(t)
			go t.keep(renewing)
			return t, nil
		}
		if holder != told && opts.Waits != nil {
			opts.Waits(holder)
		}
		told = holder
		select {
		case <-time.After(lookTime):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try takes the lease and returns its epoch, or returns 0 and the holder.
func (l *Lease) try(ctx context.Context, opts Options) (epoch int64, holder string, err error) {
	snapshot := l.db.Snapshot()
	now, err := l.read(ctx, snapshot, false)
	if err = errors.Join(err, snapshot.Close()); !now.Live && now.Wanted {
		now.Holder = "a command that waits for it"
	}
	if err != nil || opts.Yields && (now.Live || now.Wanted) {
		return 0, now.Holder, err
	}
	own := opts.Holder
	if opts.Now != nil {
		own += Since + opts.Now().UTC().Format(time.RFC3339)
	}
	// Not the next number: after a failover that lost the last takeover, another process
	// would get the same.
	taken, next := false, rand.Int64N(math.MaxInt64/2)+1
	err = l.db.WriteBrief(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		if err := l.requireCompatible(ctx, tx); err != nil {
			return err
		}
		if now.Live {
			_, err = l.set(ctx, tx, now.Epoch, func(u *entsql.UpdateBuilder) { u.Set(lease.FieldWantedUntil, l.in(tables.WantedTime)) })
			return err
		}
		taken, err = l.set(ctx, tx, now.Epoch, func(u *entsql.UpdateBuilder) {
			u.Set(lease.FieldEpoch, next).Set(lease.FieldHolder, own).Set(lease.FieldEndsAt, l.in(TermTime)).Set(lease.FieldWantedUntil, 0)
		})
		return err
	})
	switch {
	case database.IsLocked(err):
		// The term of the former holder has ended, but its transaction is still open.
		return 0, now.Holder, l.db.EndWriter(ctx)
	case taken && err == nil:
		return next, "", nil
	default:
		return 0, now.Holder, err
	}
}

// keep renews the term until ctx ends or the lease is lost.
func (t *Term) keep(ctx context.Context) {
	defer close(t.ended)
	for lost := false; !lost; {
		select {
		case <-time.After(renewTime):
		case <-ctx.Done():
			return
		}
		var now tables.Term
		err := t.lease.db.WriteBrief(ctx, func(ctx context.Context, tx *database.Tx) error {
			if err := t.lease.requireCompatible(ctx, tx); err != nil {
				return err
			}
			renewed, err := t.renew(ctx, tx)
			if lost = !renewed; err != nil || lost {
				return err
			}
			now, err = t.lease.read(ctx, tx, false)
			return err
		})
		if newer := new(database.SchemaError); errors.As(err, &newer) {
			lost = true
		} else if err != nil {
			// While the database is unreachable, no other process takes the lease.
			lost = false
			continue
		}
		if lost || now.Wanted && t.opts.Yields {
			t.ask()
		}
	}
}

// renew extends the term, unless another process has the lease.
func (t *Term) renew(ctx context.Context, tx *database.Tx) (renewed bool, err error) {
	return t.lease.set(ctx, tx, t.epoch, func(u *entsql.UpdateBuilder) { u.Set(lease.FieldEndsAt, t.lease.in(TermTime)) })
}

// ask closes asked, once.
func (t *Term) ask() {
	select {
	case <-t.asked:
	default:
		close(t.asked)
	}
}

// Asked returns a channel that is closed when the lease should be released: another
// process has it by now, or a command waits for it.
func (t *Term) Asked() <-chan struct{} { return t.asked }

// Release gives the lease back. It is no error if another process has it.
func (t *Term) Release() error {
	t.stop()
	<-t.ended
	t.lease.own.CompareAndSwap(t, nil)
	return t.giveBack()
}

// end ends the term, unless another process has the lease.
func (t *Term) end(ctx context.Context) error {
	err := t.lease.db.WriteBrief(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := t.lease.set(ctx, tx, t.epoch, func(u *entsql.UpdateBuilder) { u.Set(lease.FieldEndsAt, 0) })
		return err
	})
	return database.Wrap(err, "giving the lease back")
}

// Close releases the lease if this process has it.
func (l *Lease) Close() error {
	if t := l.own.Load(); t != nil {
		return t.Release()
	}
	return nil
}
