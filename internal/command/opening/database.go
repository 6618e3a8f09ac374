package opening

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/retrying"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Name holds the flags that name a database.
type Name struct {
	Chain []string `help:"Chain: NAME has a table [chains.NAME] in the file of --config, NAME=DSN needs none. Repeatable for serve and status; other commands take one." placeholder:"NAME" sep:"none"`
	DB    string   `help:"Database: a file path, sqlite://PATH or postgres://… Default: ${default}." default:"mintburn.db" placeholder:"DSN" chain:""`
}

// BeforeApply sets the flags to the values of the chain of --chain.
func (n *Name) BeforeApply(line *kong.Context, chains *flags.Chains) error { return chains.Apply(line) }

// Validate checks constraints that the flag type cannot express.
func (n *Name) Validate() error { return flags.Error("--db", database.CheckDSN(n.DB)) }

// Location holds the flags that locate a database and bound the wait for it.
type Location struct {
	Name
	DBWait *time.Duration `help:"Wait this long at startup for PostgreSQL to answer. Default: commands that run until they are stopped wait without limit; others fail at once." name:"db-wait" placeholder:"DURATION" chain:""`
}

// Opening holds the flags of commands that open a database.
type Opening struct {
	Location
	NoMigrate bool `help:"Fail instead of migrating if the database lacks migrations, as a new one does." chain:""`
}

// Check checks constraints that the flag types cannot express.
func (d *Location) Check() error {
	err := d.Name.Validate()
	if d.DBWait != nil {
		err = cmp.Or(err, flags.NotNegative("--db-wait", *d.DBWait))
	}
	return err
}

// Read opens the database. It fails if the database does not exist.
func (d *Opening) Read(ctx context.Context, e *process.Env, opts write.Options) (*write.DB, error) {
	opts.Existing = true
	return d.Open(ctx, e, opts)
}

// Open waits for the database and opens it, creating it if it does not exist. It builds
// the indexes that an interrupted load left pending.
func (d *Opening) Open(ctx context.Context, e *process.Env, opts write.Options) (*write.DB, error) {
	return d.Await(ctx, e, func() {}, func() (*write.DB, error) { return d.TryOpen(ctx, e, opts) })
}

// TryOpen is open without waiting.
func (d *Opening) TryOpen(ctx context.Context, e *process.Env, opts write.Options) (*write.DB, error) {
	s, err := d.opened(ctx, e, opts)
	if err != nil {
		return nil, err
	}
	if err := finishAfter(ctx, e, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Await opens a database. While PostgreSQL does not answer, it tries again for up to
// --db-wait. It calls waits before its first pause.
func (d *Location) Await(ctx context.Context, e *process.Env, waits func(), open func() (*write.DB, error)) (*write.DB, error) {
	began := time.Now()
	for failures := 1; ; failures++ {
		s, err := open()
		waited := time.Since(began).Round(time.Millisecond)
		if err == nil && failures > 1 {
			e.Log.Info("the database answers", "after", waited.String())
		}
		// Waiting does not help against an error of SQLite's files, nor against a wrong password.
		if file := new(database.FileError); !read.IsLost(err) || errors.As(err, &file) || database.IsClosed(err) || ctx.Err() != nil || d.DBWait == nil && !e.Endless {
			return s, err
		}
		pause := retrying.ShortPause(failures, rand.Float64())
		if d.DBWait != nil {
			left := *d.DBWait - waited
			if left <= 0 {
				if failures > 1 {
					err = fmt.Errorf("the database did not answer for %s (--db-wait): %w", d.DBWait, err)
				}
				return nil, err
			}
			pause = min(pause, left)
		}
		if failures == 1 {
			e.Log.Warn("waiting for the database", "error", err)
			waits()
		}
		if retrying.Sleep(ctx, pause) != nil {
			return nil, err
		}
	}
}

// opened opens the database. With --no-migrate, it fails if migrations are pending.
func (d *Opening) opened(ctx context.Context, e *process.Env, opts write.Options) (*write.DB, error) {
	opts.NoMigrate = d.NoMigrate
	s, err := d.Location.OpenOnce(ctx, e, opts)
	pending := new(write.PendingError)
	switch {
	case errors.As(err, &pending), d.NoMigrate && errors.Is(err, database.ErrNoDatabase):
		err = fmt.Errorf("%w (--no-migrate): run mintburn migrate first", err)
	case errors.Is(err, database.ErrNoDatabase):
		err = fmt.Errorf("%w (--db): import or sync into it first", err)
	}
	return s, err
}

// OpenOnce opens the database, and logs when a write waits for other processes.
func (d *Location) OpenOnce(ctx context.Context, e *process.Env, opts write.Options) (*write.DB, error) {
	opts.OnWait = func(waits bool) {
		if waits {
			e.Log.Warn("waiting for another process that writes to the database")
		}
		e.Events.SetWaiting(waits)
	}
	opts.Patient = !e.Endless
	s, err := write.Open(ctx, d.DB, opts)
	if err != nil {
		return nil, err
	}
	if schema := s.Schema(); schema.Version > schema.Known {
		e.Log.Warn("the database has a newer schema, which is compatible", "version", schema.Version, "known", schema.Known)
	}
	return s, nil
}

// Inspect opens the database for a command that changes nothing, not even a file beside a SQLite
// database. It fails if migrations are pending.
func (n *Name) Inspect(ctx context.Context) (*write.DB, error) {
	s, err := write.Open(ctx, n.DB, write.Options{Options: database.Options{ReadOnly: true, Readers: 1}})
	pending := new(write.PendingError)
	switch {
	case errors.As(err, &pending):
		err = fmt.Errorf("%w: run mintburn migrate first", err)
	case errors.Is(err, database.ErrNoDatabase):
		err = fmt.Errorf("%w (--db): import or sync into it first", err)
	}
	return s, err
}

// Load opens the database for work that may write many records and ends by itself.
// It builds the indexes of a new database after the work, even if the work failed, and adds
// missing digests. If it created the database and stored no block, it removes it.
func (d *Opening) Load(ctx context.Context, e *process.Env, work func(*write.DB) error) (err error) {
	s, err := d.Await(ctx, e, func() {}, func() (*write.DB, error) {
		return d.opened(ctx, e, write.Options{Options: database.Options{Loading: true}})
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Abandon())
			return
		}
		err = s.Close()
	}()
	err = lead(ctx, e, s)
	if err == nil {
		err = write.LoadOf(s).Begin(ctx)
	}
	if err == nil {
		err = errors.Join(work(s), FinishLoad(ctx, e, s))
	}
	if err == nil {
		err = FillDigests(ctx, e, s)
	}
	return process.Unfinished(ctx, err, process.Again)
}

// finishAfter is FinishLoad on behalf of a killed process. A live process that loads
// builds its indexes itself.
func finishAfter(ctx context.Context, e *process.Env, s *write.DB) error {
	steps, err := write.LoadOf(s).Steps(ctx)
	if err != nil || steps == 0 {
		return err
	}
	waiting, stop := context.WithTimeout(ctx, lease.TermTime+time.Second)
	defer stop()
	term, err := s.Lease().Take(waiting, leaseOptions(e, false))
	if errors.Is(err, context.DeadlineExceeded) {
		e.Log.Warn("another process is loading the database: queries are slow until it finishes")
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(FinishLoad(ctx, e, s), term.Release())
}

// FinishLoad builds the indexes that a load of a new database left pending.
func FinishLoad(ctx context.Context, e *process.Env, s *write.DB) error {
	steps, err := write.LoadOf(s).Steps(context.WithoutCancel(ctx))
	if err != nil || steps == 0 {
		return err
	}
	if ctx.Err() == nil {
		if err = BuildIndexes(ctx, e, s); err == nil {
			return nil
		}
	}
	if ctx.Err() != nil {
		// A new database without a block is removed.
		if indexed, unread := s.Indexed(context.WithoutCancel(ctx)); unread == nil && len(indexed) == 0 {
			return err
		}
		e.Log.Warn("stopped before the indexes of the new database were built: the next command builds them")
	}
	return err
}

// BuildIndexes is [write.Load.Finish] that shows its progress.
func BuildIndexes(ctx context.Context, e *process.Env, s *write.DB) error {
	steps, err := write.LoadOf(s).Steps(ctx)
	if err != nil {
		return err
	}
	// The indexes of a small database are not worth a log line.
	slow := time.AfterFunc(time.Second, func() { e.Log.Info("building the indexes of a new database") })
	defer slow.Stop()
	progress := console.NewProgress(e.Console, "steps", func() (done, size int64) {
		// Finish reports the same error.
		left, _ := write.LoadOf(s).Steps(ctx)
		return int64(steps - left), int64(steps)
	})
	defer progress.Stop()
	return write.LoadOf(s).Finish(ctx)
}
