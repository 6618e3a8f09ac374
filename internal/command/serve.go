package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/database"
	"mintburn/internal/httpapi"
	"mintburn/internal/store/write"
)

type serveCommand struct {
	// name is the name of the chain that the flags are for, "" without chains.
	name string
	opening.Opening
	DefaultChain string `help:"Chain that answers at the paths without a chain's name. Default: none." placeholder:"NAME"`
	serving.Listening
	following.Decoding
	following.Following
}

// Validate checks constraints that the flag types cannot express.
func (c *serveCommand) Validate() error {
	return cmp.Or(c.Nodes.Check(), c.Opening.Check(), c.Listening.Validate(), c.Following.Check())
}

func (*serveCommand) endless() bool { return true }

// Run serves until ctx ends. With --rpc, it also follows the chain, and creates the
// database if it does not exist. If serving or following fails, both end. While PostgreSQL
// is unreachable, it answers that the data is unavailable.
func (c *serveCommand) Run(ctx context.Context, e *process.Env, parse parsing, named *flags.Chains) (err error) {
	chains, err := c.chains(e.Args, parse, named)
	if err != nil {
		return err
	}
	c = chains[0]
	signal.Ignore(syscall.SIGHUP)
	version, _ := versions()
	traces, stop, err := serving.StartTracing(ctx, e.Log, version)
	if err != nil {
		return err
	}
	defer stop()
	listener, err := c.Enter(e)
	if err != nil {
		return err
	}
	s, err := c.openServing(ctx, e, listener, c.Options(traces))
	if errors.Is(err, database.ErrNoDatabase) && !c.NoMigrate {
		err = fmt.Errorf("%w, give --rpc to index a chain, or try mintburn demo", err)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		return opening.WheneverCompatible(ctx, e, s, func(ctx context.Context) error {
			if len(c.RPC) == 0 {
				// The database may be read-only.
				if err := opening.CountTraits(ctx, e, s); err != nil && ctx.Err() == nil {
					e.Log.Warn("the traits are not counted: mintburn migrate counts them", "error", err)
				}
				<-ctx.Done()
				return nil
			}
			_, err := c.Follow(ctx, e, s, c.Decoding, false)
			return err
		})
	})
	both.Go(func() error {
		return c.Serve(ctx, e, s, listener, c.Resolving, traces, func(base string) {
			if e.Terminal != nil {
				welcome(e.Terminal, base, "{ chain { head { number timestamp } } }", c.RequireAPIKey)
				return
			}
			e.Log.Info("serving", "page", base+"/", "explore", base+"/explore", "docs", base+"/docs/", "graphql", base+"/graphql")
		})
	})
	return both.Wait()
}

// openServing opens the database. Until PostgreSQL is reachable, it answers requests
// with an error.
func (c *serveCommand) openServing(ctx context.Context, e *process.Env, listener *serving.Entrance, opts write.Options) (s *write.DB, err error) {
	ended := make(chan struct{})
	opts.Existing, opts.KeepChanges = len(c.RPC) == 0, c.KeepChanges
	unavailable, err := httpapi.Unavailable(c.CORSOrigin)
	if err != nil {
		return nil, err
	}
	waited := false
	s, err = c.Await(ctx, e, func() {
		waited = true
		e.Log.Info("answering that the data is unavailable", "graphql", listener.Base()+"/graphql")
		server := httpapi.NewServer(unavailable, c.ReadTimeout, c.ReadTimeout, e.Log)
		// A connection gets one response, so that the next comes from the real server.
		server.SetKeepAlivesEnabled(false)
		go func() {
			defer close(ended)
			// It always returns the error of a closed listener.
			_ = listener.Serve(server, lent{listener.Listener})
		}()
	}, func() (*write.DB, error) { return c.TryOpen(ctx, e, opts) })
	if !waited {
		return s, err
	}
	err = errors.Join(err, lent{listener.Listener}.Close())
	<-ended
	if err = errors.Join(err, lent{listener.Listener}.reopen()); err != nil && s != nil {
		err = errors.Join(err, s.Close())
	}
	return s, err
}

// lent is a listener that can be handed to a second server. No connection is lost in
// between: the first server answers those that it has accepted.
type lent struct{ net.Listener }

// Accept fails after Close.
func (l lent) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = net.ErrClosed
	}
	return conn, err
}

// Close makes Accept fail, and leaves the listener open.
func (l lent) Close() error { return l.setDeadline(time.Unix(1, 0)) }

func (l lent) reopen() error { return l.setDeadline(time.Time{}) }

func (l lent) setDeadline(t time.Time) error {
	return l.Listener.(interface{ SetDeadline(time.Time) error }).SetDeadline(t)
}
