package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"mintburn/internal/apierror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/httpapi/watch"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

type changesCommand struct {
	opening.Opening
	After   *string       `help:"Print the changes after this cursor. Default: none, only the cursor of now." placeholder:"CURSOR"`
	Follow  bool          `help:"Wait for further changes until stopped."`
	Address []evm.Address `help:"Only records and documents of this collection (repeatable)." placeholder:"A" sep:","`
	Account []evm.Address `help:"Only mints to this address, or burns from it (repeatable). Excludes metadata." placeholder:"A" sep:","`
	Kind    []string      `help:"Only changes of this kind: ${enum} (repeatable). added includes voided. Default: all." enum:"added,voided,finalized,metadata" placeholder:"KIND" sep:","`
}

// Validate checks constraints that the flag types cannot express.
func (c *changesCommand) Validate() error {
	if len(c.Account) > 0 && slices.Contains(c.Kind, "metadata") {
		return errors.New("--kind metadata: documents have no account: want no --account")
	}
	return c.Check()
}

func (c *changesCommand) endless() bool { return c.Follow }

// Run prints the changes from the cursor to the present state as NDJSON and, with --follow, those
// that follow until ctx ends. The last line on standard error contains the cursor that continues. If there is no
// way to continue after the cursor, the error has its own exit code.
func (c *changesCommand) Run(ctx context.Context, e *process.Env) (err error) {
	s, err := c.Read(ctx, e, write.Options{Options: database.Options{Unmapped: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var written atomic.Int64
	stopProgress := func() {}
	// On a terminal, a progress bar would mix with the changes.
	if !c.Follow && !console.IsTerminal(e.Stdout) {
		stopProgress = console.NewProgress(e.Console, "changes", func() (done, size int64) { return written.Load(), 0 }).Stop
	}
	after := c.After
	err = opening.WhileCompatible(ctx, s, func(ctx context.Context) error {
		return c.print(ctx, e, s, func(b *feed.Batch) {
			written.Add(int64(len(b.Changes)))
			after = &b.Cursor
		})
	})
	stopProgress()
	stopped := c.Follow && ctx.Err() != nil
	switch known := new(apierror.Error); {
	case errors.As(err, &known) && known.Code == apierror.ChangesExpired:
		return &process.ExitError{Code: process.ExitReorged, Err: errors.New("the log of changes does not reach back to --after, or the database has lost commits since: drop the copy, get a new cursor from mintburn changes, export again, then continue after that cursor")}
	case after == nil:
		return err
	case err != nil && !stopped:
		return process.Unfinished(ctx, err, fmt.Sprintf("wrote %s; to continue: %s", console.Count(written.Load(), "change"), console.Continued(e.Args, *after)))
	}
	fmt.Fprintf(e.Stderr, "Printed %s. To continue later: --after %s\n", console.Count(written.Load(), "change"), *after)
	return err
}

// print prints the changes. It calls printed after each batch.
func (c *changesCommand) print(ctx context.Context, e *process.Env, s *write.DB, printed func(*feed.Batch)) error {
	f, after := feed.Filter{Addresses: c.Address, Accounts: c.Account}, c.After
	for _, kind := range c.Kind {
		f.Kinds = append(f.Kinds, feed.Kind(strings.ToUpper(kind)))
	}
	changed := watch.New(state.LastChange(s), e.Log)
	for mark := changed.Now(); ; {
		var batch *feed.Batch
		err := opening.Retry(ctx, e.Log, "reading changes", func(err error) bool { return c.Follow && passes(err) }, func() (err error) {
			batch, err = export.ReadChanges(ctx, s.DB, f, after)
			return err
		})
		if err != nil {
			return err
		}
		if err := export.WriteChanges(e.Stdout, batch.Changes); err != nil {
			return fmt.Errorf("writing changes: %w", err)
		}
		printed(batch)
		after = &batch.Cursor
		if batch.Complete && !c.Follow {
			return nil
		}
		if batch.More {
			continue
		}
		if mark, err = changed.Wait(ctx, mark); err != nil {
			return err
		}
	}
}

// passes reports whether reading may succeed later: the database is away, has cancelled a
// statement as a standby does, or has not received the cursor's commit yet.
func passes(err error) bool {
	known := new(apierror.Error)
	return read.IsLost(err) || read.IsCancelled(err) || errors.As(err, &known) && (known.Code == apierror.Unavailable || known.Code == apierror.ReplicaBehind)
}
