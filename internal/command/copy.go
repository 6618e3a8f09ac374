package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/store/copying"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/write"
)

type copyCommand struct {
	From string `help:"Database to copy: a file path, sqlite://PATH or postgres://…" required:"" placeholder:"DSN"`
	To   string `help:"Database to create or to fill: a file path, sqlite://PATH or postgres://…" required:"" placeholder:"DSN"`
}

// Help implements kong.HelpProvider.
func (*copyCommand) Help() string {
	return "Copies one committed state of a database, also from SQLite to PostgreSQL and back, while other processes read and write it. Followers and cursors continue on the copy. Until the copy is complete, no other command opens it."
}

// Validate checks constraints that the flag types cannot express.
func (c *copyCommand) Validate() error {
	if err := cmp.Or(flags.Error("--from", database.CheckDSN(c.From)), flags.Error("--to", database.CheckDSN(c.To))); err != nil {
		return err
	}
	from, _ := os.Stat(database.PathOf(c.From))
	to, _ := os.Stat(database.PathOf(c.To))
	if c.From == c.To || from != nil && to != nil && os.SameFile(from, to) {
		return errors.New("--to: got the database of --from, want another one")
	}
	return nil
}

// Run copies the database and prints the number of rows of each table.
func (c *copyCommand) Run(ctx context.Context, e *process.Env) (err error) {
	if os.Getenv("GOGC") == "" {
		// Values live for milliseconds, and little else is alive: by default the collector takes a tenth of the time.
		debug.SetGCPercent(400)
	}
	// If SQLite's file was opened as read-only too, it would have to stay as it is.
	from, err := write.Open(ctx, c.From, write.Options{NoMigrate: true, Options: database.Options{Existing: true, ReadOnly: database.PathOf(c.From) == "", Unmapped: true, Readers: 1}})
	if pending := new(write.PendingError); errors.As(err, &pending) {
		err = fmt.Errorf("%w: run mintburn migrate --db %s first", err, console.WithoutSecrets("db", c.From))
	}
	if errors.Is(err, database.ErrNoDatabase) || database.IsOther(err) {
		err = &process.ExitError{Code: process.ExitUsage, Err: err}
	}
	if err = ofThisVersion(from, err); err != nil {
		return flags.Error("--from", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := (&opening.Location{Name: opening.Name{DB: c.To}}).OpenOnce(ctx, e, write.Options{Copies: true, Options: database.Options{Loading: true}})
	if err = ofThisVersion(to, err); err != nil {
		return flags.Error("--to", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Abandon())
			return
		}
		err = to.Close()
	}()
	if err = opening.Leading(ctx, e, to)(); err == nil {
		err = copying.Begin(ctx, to)
	}
	if err != nil {
		return err
	}
	return process.Incomplete(fill(ctx, e, from, to), "run the same command again: it empties the target and begins anew")
}

// ofThisVersion returns err, or fails unless s has the schema of this program. It closes s if it fails.
func ofThisVersion(s *write.DB, err error) error {
	if err == nil && s.Schema().Version != s.Schema().Known {
		return errors.Join(fmt.Errorf("%w: use a newer mintburn", &write.PendingError{Schema: s.Schema()}), s.Close())
	}
	return err
}

// fill fills an empty database.
func fill(ctx context.Context, e *process.Env, from, to *write.DB) error {
	snapshot := from.Snapshot()
	want, err := copying.Counts(ctx, snapshot.Tx)
	var digests []digest.Digested
	if err == nil {
		digests, err = digest.Of(snapshot.Tx, snapshot.Client()).Indexed(ctx)
	}
	if err == nil {
		err = write.LoadOf(to).Begin(ctx)
	}
	var done atomic.Int64
	size := int64(0)
	for _, n := range want {
		size += n.Rows
	}
	progress := console.NewProgress(e.Console, "rows", func() (int64, int64) { return done.Load(), size })
	did := func(n int) { done.Add(int64(n)) }
	if err == nil {
		err = copying.Rows(ctx, snapshot.Tx, to, did)
	}
	// Until then the source keeps rows that others remove.
	if err = errors.Join(err, snapshot.Close()); err == nil {
		err = copying.Derive(ctx, to, did)
	}
	if progress.Stop(); err == nil {
		err = opening.BuildIndexes(ctx, e, to)
	}
	if err == nil {
		err = opening.FillDigests(ctx, e, to)
	}
	if err != nil {
		return err
	}
	got, err := copying.End(ctx, to, want, digests)
	for i, n := range got {
		fmt.Fprintf(e.Stdout, "%s: %d rows, %d copied\n", n.Table, want[i].Rows, n.Rows)
	}
	if err == nil && !slices.Equal(want, got) {
		err = errors.New("the copy has other numbers of rows than the source")
	}
	for i := 0; i < len(digests) && err == nil; i++ {
		_, err = fmt.Fprintln(e.Stdout, digests[i])
	}
	return err
}
