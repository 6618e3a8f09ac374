package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/database"
	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// chainFlags are the flags of serve that concern a chain, and those of the process.
type chainFlags struct {
	// name is the name of the chain that the flags are for, "" without chains.
	name string
	opening.Opening
	serving.Listening
	serving.Proofs
	following.Decoding
	following.Following
}

// chain is a chain of a server: its flags, its database, and what follows it.
type chain struct {
	*serving.Chain
	flags *chainFlags
	// several is how many chains the server has.
	several int
	// decided is called once the database is open, or it is known that it is not.
	decided func()
}

// newChain returns a chain, one of several, whose log lines say its name.
func newChain(e *process.Env, flags *chainFlags, several int) *chain {
	own := *e
	if flags.name != "" {
		own.Log, own.Terminal = e.Log.With("chain", flags.name), nil
		own.Events = process.NewEvents()
	}
	return &chain{Chain: &serving.Chain{Name: flags.name, DSN: flags.DB, Listening: flags.Listening, Proofs: flags.Proofs, Env: &own}, flags: flags, several: several, decided: func() {}}
}

// at returns the path of the chain, without a trailing slash.
func (c *chain) at() string {
	if c.Name == "" {
		return ""
	}
	return "/" + c.Name
}

// The pauses of a chain that begins again.
const firstAgain, lastAgain = time.Second, time.Minute

// run opens the database, then follows it until ctx ends, or up to the last block of the flags. A chain
// with a name begins again after an error, which it logs: with the following of an open database, which
// keeps answering.
func (c *chain) run(ctx context.Context, s *served, t serving.Tracing) error {
	for failures := 1; ; failures++ {
		began := time.Now()
		err := c.once(ctx, s, t)
		if c.Name == "" || err == nil || ctx.Err() != nil {
			return err
		}
		if ended := s.fails(c, err); ended != nil {
			return ended
		}
		c.decided()
		if time.Since(began) > lastAgain {
			failures = 1
		}
		pause := retrying.Backoff(firstAgain, lastAgain, failures-1)
		c.Env.Log.Error("the chain failed: beginning again", "error", err, "in", pause.String())
		if retrying.Sleep(ctx, pause) != nil {
			return nil
		}
	}
}

// once opens the database, unless it is open, and follows it.
func (c *chain) once(ctx context.Context, served *served, t serving.Tracing) error {
	s := c.Store()
	if s == nil {
		var err error
		if s, err = c.open(ctx, served, t); err != nil {
			return err
		}
		c.Open(s)
		served.opens(ctx, c)
		c.decided()
	}
	return opening.WheneverCompatible(ctx, c.Env, s, func(ctx context.Context) error {
		if len(c.flags.RPC) == 0 {
			// The database may be read-only.
			if err := opening.CountTraits(ctx, c.Env, s); err != nil && ctx.Err() == nil {
				c.Env.Log.Warn("the traits are not counted: mintburn migrate counts them", "error", err)
			}
			<-ctx.Done()
			return nil
		}
		c.flags.Bound = func() { served.opens(ctx, c) }
		_, err := c.flags.Follow(ctx, c.Env, s, c.flags.Decoding, false)
		return err
	})
}

// open opens the database. It waits for PostgreSQL.
func (c *chain) open(ctx context.Context, served *served, t serving.Tracing) (*write.DB, error) {
	opts := c.Options(t, c.several)
	opts.Existing, opts.KeepChanges = len(c.flags.RPC) == 0, c.flags.KeepChanges
	s, err := c.flags.Await(ctx, c.Env, func() {
		c.Env.Log.Info("answering that the data is unavailable", "graphql", served.base+c.at()+"/graphql")
		if c.Name != "" {
			served.waits(c)
			c.decided()
		}
	}, func() (*write.DB, error) { return c.flags.TryOpen(ctx, c.Env, opts) })
	if errors.Is(err, database.ErrNoDatabase) && !c.flags.NoMigrate {
		err = fmt.Errorf("%w, give --rpc to index a chain, or try mintburn demo", err)
	}
	return s, err
}

// served are the chains of a server.
type served struct {
	// base is the server's URL, without a trailing slash.
	base   string
	chains []*chain
	mu     sync.Mutex // guards failing and ids
	// failing are the errors of chains that could never be opened, and do not wait for their database.
	failing map[*chain]error
	// ids are the chain ids that are known.
	ids map[*chain]uint64
}

// waits notes that a chain is not failing.
func (s *served) waits(c *chain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failing, c)
}

// fails notes that a chain failed. It returns an error if none can be opened.
func (s *served) fails(c *chain, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Store() != nil || read.IsLost(err) {
		delete(s.failing, c)
		return nil
	}
	s.failing[c] = fmt.Errorf("chain %s: %w", c.Name, err)
	if len(s.failing) < len(s.chains) {
		return nil
	}
	var all error
	for _, k := range s.chains {
		all = errors.Join(all, s.failing[k])
	}
	return all
}

// opens notes that the database of a chain is open, or has got its chain id, and warns once if another chain
// has the same.
func (s *served) opens(ctx context.Context, c *chain) {
	s.waits(c)
	id, err := c.Store().Settings().ChainID(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.ids[c]; err != nil || id == nil || ok && known == *id {
		return
	}
	for other, same := range s.ids {
		if other != c && same == *id {
			c.Env.Log.Warn("another chain has the same chain id", "other", other.Name, "chain_id", *id)
		}
	}
	s.ids[c] = *id
}

// Close closes the databases, all at once, because one that hangs must not hold up the others.
func (s *served) Close() error {
	var all sync.WaitGroup
	failed := make([]error, len(s.chains))
	for i, c := range s.chains {
		if db := c.Store(); db != nil {
			all.Go(func() { failed[i] = db.Close() })
		}
	}
	all.Wait()
	return errors.Join(failed...)
}

// welcome says where the server is.
func (s *served) welcome(e *process.Env, keyRequired bool, defaultChain string) {
	base := s.base
	serving.WarnOfHTTP1(e)
	if len(s.chains) == 1 && s.chains[0].Name == "" || defaultChain != "" {
		if e.Terminal != nil {
			welcome(e.Terminal, base, "{ chain { head { number timestamp } } }", keyRequired)
			return
		}
		e.Log.Info("serving", "page", base+"/", "explore", base+"/explore", "docs", base+"/docs/", "graphql", base+"/graphql")
		return
	}
	var names []string
	for _, c := range s.chains {
		names = append(names, c.Name)
	}
	e.Log.Info("serving", "page", base+"/", "docs", base+"/docs/", "graphql", base+"/graphql", "chains", strings.Join(names, ","))
}
