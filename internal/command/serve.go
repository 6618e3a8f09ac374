package command

import (
	"cmp"
	"context"
	"errors"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
)

type serveCommand struct {
	DefaultChain string `help:"Chain that answers at the paths without a chain's name. Default: none." placeholder:"NAME"`
	chainFlags
}

// Validate checks constraints that the flag types cannot express.
func (c *serveCommand) Validate() error {
	return cmp.Or(c.Nodes.Check(), c.Opening.Check(), c.Listening.Validate(), c.Proofs.Check(), c.Following.Check())
}

func (*serveCommand) endless() bool { return true }

// Run serves until ctx ends. With --rpc, it also follows the chain, and creates the
// database if it does not exist. If serving or following fails, both end. While PostgreSQL
// is unreachable, it answers that the data is unavailable.
//
// Of several chains, each begins again after a failure, and Run fails only if none can be opened.
func (c *serveCommand) Run(ctx context.Context, e *process.Env, parse parsing, named *flags.Chains) (err error) {
	list, err := c.chains(e.Args, parse, named)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGHUP)
	version, _ := versions()
	traces, stop, err := serving.StartTracing(ctx, e.Log, version)
	if err != nil {
		return err
	}
	defer stop()
	fetcher, err := c.Fetcher()
	if err != nil {
		return err
	}
	defer fetcher.Close()
	listener, err := c.Enter(e)
	if err != nil {
		return err
	}
	all, ctx := errgroup.WithContext(ctx)
	s := &served{failing: map[*chain]error{}, ids: map[*chain]uint64{}}
	defer func() { err = errors.Join(err, s.Close()) }()
	var shown []*serving.Chain
	var undecided atomic.Int64
	undecided.Store(int64(len(list)))
	for _, one := range list {
		one.Following.Shared = fetcher
		k := newChain(e, &one.chainFlags, len(list))
		s.chains, shown = append(s.chains, k), append(shown, k.Chain)
		k.decided = sync.OnceFunc(func() {
			if undecided.Add(-1) == 0 {
				s.welcome(e, c.RequireAPIKey, c.DefaultChain)
			}
		})
	}
	if !slices.ContainsFunc(list, func(one *serveCommand) bool { return one.name == c.DefaultChain }) {
		// Another process with the same file may serve it.
		c.DefaultChain = ""
	}
	all.Go(func() error {
		return c.Serve(ctx, e, shown, c.DefaultChain, listener, c.Resolving, traces, func(base string) {
			s.base = base
			for _, k := range s.chains {
				all.Go(func() error { return k.run(ctx, s, traces) })
			}
		})
	})
	return all.Wait()
}

// chains returns the command for each of its chains, in the order of the file and then of the
// arguments: each with its name, and with the flags of its table and of all chains. Without
// chains it returns c, whose name is "". The default chain is one of the file or the arguments,
// maybe one that --chain leaves out. It fails with exit code 2 for flags that are not valid.
func (c *serveCommand) chains(args []string, parse parsing, chains *flags.Chains) ([]*serveCommand, error) {
	if chains.Names == nil {
		return []*serveCommand{c}, nil
	}
	var all []*serveCommand
	for _, name := range chains.Names {
		command, err := parse.forChain(args, chains, name)
		if err != nil {
			return nil, err
		}
		one := command.(*serveCommand)
		one.name = name
		all = append(all, one)
	}
	return all, nil
}
