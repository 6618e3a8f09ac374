package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mintburn/internal/command/console"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

type metadataCommand struct {
	opening.Opening
	following.Resolving
	following.Nodes
	once
	Contract []evm.Address `help:"Fetch only documents of this collection (repeatable)." placeholder:"A" sep:","`
	Retry    bool          `name:"retry-failed" help:"Immediately retry every token and collection whose last fetch failed."`
}

// Validate checks constraints that the flag types cannot express.
func (c *metadataCommand) Validate() error {
	return cmp.Or(c.Opening.Check(), c.Require(), c.Resolving.Check())
}

func (c *metadataCommand) endless() bool { return !c.Once }

// Run fetches documents until ctx ends or, with --once, until none is due.
func (c *metadataCommand) Run(ctx context.Context, e *process.Env) (err error) {
	s, err := c.Read(ctx, e, write.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	queue := write.NewQueue(s, write.QueueOptions{Contracts: c.Contract, Now: e.Now})
	for _, again := range []struct {
		wanted bool
		doing  string
		make   func() (int, error)
	}{
		{c.Retry, "retrying failed tokens", func() (int, error) { return queue.RetryFailed(ctx) }},
		{c.Recheck > 0, "rechecking old documents", func() (int, error) { return queue.Recheck(ctx, c.Recheck) }},
	} {
		if !again.wanted {
			continue
		}
		due := 0
		err := opening.Retry(ctx, e.Log, again.doing, func(err error) bool { return !c.Once && read.IsLost(err) }, func() (err error) {
			due, err = again.make()
			return err
		})
		if err != nil {
			return err
		}
		e.Log.Info(again.doing, "tokens", due)
	}
	var documents, failures int64
	var tokens atomic.Int64
	progress := console.NewProgress(e.Console, "tokens", func() (done, size int64) { return tokens.Load(), 0 })
	defer progress.Stop()
	err = opening.WhileCompatible(ctx, s, func(ctx context.Context) (err error) {
		documents, failures, err = c.Resolve(ctx, e, s, c.Nodes, c.Contract, c.Once, func(n int) { tokens.Add(int64(n)) })
		return err
	})
	if err != nil {
		return process.Unfinished(ctx, err, process.Again)
	}
	fmt.Fprintf(e.Stdout, "Resolved %s: %s stored, %d failed and will be retried.\n", console.Count(documents+failures, "token"), console.Count(documents, "document"), failures)
	return nil
}
