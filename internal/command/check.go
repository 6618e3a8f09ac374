package command

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mintburn/internal/indexer"
	"mintburn/internal/store"
)

type checkCommand struct {
	database
	Repair bool `help:"Repair what differs."`
}

// Validate refuses values that no flag type refuses.
func (c *checkCommand) Validate() error { return c.check() }

// Run compares what is stored twice. It fails if any difference is left.
func (c *checkCommand) Run(ctx context.Context, e *env) (err error) {
	s, err := c.read(ctx, e, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := checkStore(ctx, e, s, c.Repair)
	switch {
	case err != nil:
		return unfinished(ctx, err, fmt.Sprintf("%d differences so far; what is repaired stays; run the same command again", found.Differences))
	case found.Left > 0 && c.Repair:
		return fmt.Errorf("repaired %d of %d differences; the lines of the others say what repairs them", found.Differences-found.Left, found.Differences)
	case found.Left > 0:
		return fmt.Errorf("%d differences; check --repair repairs what the rows can decide", found.Left)
	case found.Differences > 0:
		fmt.Fprintf(e.stdout, "Repaired %d differences.\n", found.Differences)
		return nil
	}
	fmt.Fprintln(e.stdout, "No differences: counters, counts and coverage are as the rows say.")
	return nil
}

// checkStore runs a check that prints each difference.
func checkStore(ctx context.Context, e *env, s *store.Store, repair bool) (store.Checked, error) {
	var rows atomic.Int64
	progress := newProgress(e, "rows", func() (done, size int64) { return rows.Load(), 0 })
	defer progress.stop()
	return s.Check(ctx, store.CheckOptions{
		Repair:   repair,
		Report:   func(line string) { fmt.Fprintln(e.stdout, line) },
		Note:     func(line string) { e.log.Info(line) },
		Progress: func(n int64) { rows.Add(n) },
	})
}

// checkCounters compares counters with records while a chain is followed: a part of
// one filter's counters after each pause.
func checkCounters(ctx context.Context, e *env, s *store.Store, pause time.Duration) error {
	counters := s.CheckCounters(func(line string) { e.log.Warn("repairing counters", "difference", line) })
	wait := pause
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		err := indexer.Safely(e.log, e.events.panics.Inc, func() error { return counters.Step(ctx) })
		if wait = pause; err != nil && ctx.Err() == nil {
			wait = 60 * pause
			e.log.Warn("the check of counters tries again", "error", err, "in", wait.String())
		}
	}
}
