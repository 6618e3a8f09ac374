package serving

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/watch"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Chain is a chain that a server answers for. Until [Chain.Open], its data is unavailable.
type Chain struct {
	// Name is "" for a server's only chain that has none.
	Name string
	// DSN names the database, and the flags are those of the chain.
	DSN string
	Listening
	Proofs
	// Env has the chain's log and events.
	Env   *process.Env
	store atomic.Pointer[write.DB]
}

// Open makes the data of an open database available.
func (c *Chain) Open(s *write.DB) { c.store.Store(s) }

// Store returns the database, or nil until it is open.
func (c *Chain) Store() *write.DB { return c.store.Load() }

// Options returns the options of the chain's store, one of several, as [Listening.Options] does. Operations
// that wait for a node keep their connections, so there are more.
func (c *Chain) Options(t Tracing, several int) write.Options {
	o := c.Listening.Options(t, c.DSN, several)
	if len(c.ProofRPC) > 0 && c.DBConnections == nil {
		o.Readers += admit.ProofSlots
	}
	return o
}

// stores returns a function that returns the store of an operation's chain, or nil until it is open.
func stores(chains []*Chain) func(context.Context) *read.DB {
	named := map[string]*Chain{}
	for _, c := range chains {
		named[c.Name] = c
	}
	return func(ctx context.Context) *read.DB {
		if s := named[httpapi.ChainOf(ctx)].Store(); s != nil {
			return s.DB
		}
		return nil
	}
}

// errNotOpen is the error of what needs a database that is not open yet.
var errNotOpen = apierror.Errorf(apierror.Unavailable, "the database is not there yet")

// reading calls read with the database of a chain.
func reading[T any](c *Chain, read func(s *write.DB) (T, error)) (found T, err error) {
	s := c.Store()
	if s == nil {
		return found, errNotOpen
	}
	return read(s)
}

// config returns the chain, one of several, for a server that stops with stopping.
func (c *Chain) config(stopping context.Context, several int) httpapi.Chain {
	within := state.ScrapeTime
	if c.Name != "" {
		within = httpapi.StateTime
	}
	return httpapi.Chain{
		Name: c.Name,
		LastChange: func(ctx context.Context) (watch.Mark, error) {
			return reading(c, func(s *write.DB) (watch.Mark, error) { return state.LastChange(s)(ctx) })
		},
		Ready: func(ctx context.Context) error {
			if stopping.Err() != nil {
				return apierror.Errorf(apierror.Unavailable, "the server is stopping")
			}
			_, err := reading(c, func(s *write.DB) (bool, error) { return true, state.Ready(ctx, s, c.Env.Now, c.MaxLag) })
			return err
		},
		State: func(ctx context.Context) (httpapi.ChainState, error) {
			return reading(c, func(s *write.DB) (httpapi.ChainState, error) { return stateOf(ctx, s, c.Env.Now()) })
		},
		Examples: func(ctx context.Context) (page.Examples, error) {
			if s := c.Store(); s != nil {
				return Examples(ctx, s)
			}
			// The page works without examples.
			return page.Examples{}, nil
		},
		Share: func(ctx context.Context, shown page.Shown) (*page.Share, error) {
			return reading(c, func(s *write.DB) (*page.Share, error) { return share(ctx, s, shown) })
		},
		Collector:   dataMetrics{c.Store, c.Env, within},
		ExplorerURL: strings.TrimRight(c.ExplorerURL, "/"),
		Concurrency: c.Limits(c.Listening.Options(nil, c.DSN, several).Readers).Concurrency,
	}
}

// stateOf reads the state of a chain.
func stateOf(ctx context.Context, s *write.DB, now time.Time) (found httpapi.ChainState, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	chain, err := snapshot.Chain(ctx)
	if err != nil {
		return found, err
	}
	found.Following, err = read.Following(ctx, snapshot)
	found.ChainID, found.Head, found.Finalized = chain.ID, blockOf(chain.Head), blockOf(chain.Finalized)
	if chain.Head != nil {
		found.Lag = new(int64(state.Age(chain.Head, now).Seconds()))
	}
	return found, err
}

func blockOf(h *evm.Header) *httpapi.ChainBlock {
	if h == nil {
		return nil
	}
	return &httpapi.ChainBlock{Number: h.Number, Hash: h.Hash.String(), Timestamp: h.Time}
}
