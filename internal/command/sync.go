package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/store/write"
)

type syncCommand struct {
	opening.Opening
	following.Decoding
	following.Following
	once
}

// once holds the flag of commands that otherwise run until they are stopped.
type once struct {
	Once bool `help:"Stop when nothing is left to do: sync at the head, metadata when no token is due."`
}

// Validate checks constraints that the flag types cannot express.
func (c *syncCommand) Validate() error {
	return cmp.Or(c.Opening.Check(), c.Nodes.Require(), c.Following.Check())
}

// endless reports whether the flags set no end.
func (c *syncCommand) endless() bool { return !c.Once && c.ToBlock == nil }

// Run follows the chain until ctx ends. With --once, it ends when the head is indexed;
// with --to-block, when that block is indexed.
func (c *syncCommand) Run(ctx context.Context, e *process.Env) (err error) {
	signal.Ignore(syscall.SIGHUP)
	var done *following.Indexed
	follow := func(s *write.DB) error {
		return opening.WhileCompatible(ctx, s, func(ctx context.Context) (err error) {
			done, err = c.Follow(ctx, e, s, c.Decoding, c.Once)
			return err
		})
	}
	if c.Once {
		err = c.Load(ctx, e, follow)
	} else {
		err = c.keep(ctx, e, follow)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "Indexed %s.\n", done)
	return err
}

// keep waits for the database and opens it for work that runs until it is stopped.
func (c *syncCommand) keep(ctx context.Context, e *process.Env, work func(*write.DB) error) error {
	s, err := c.Open(ctx, e, write.Options{Options: database.Options{Loading: true}, KeepChanges: c.KeepChanges})
	if err != nil {
		return err
	}
	return errors.Join(process.Unfinished(ctx, work(s), process.Again), s.Close())
}
