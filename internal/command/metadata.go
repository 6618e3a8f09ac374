package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/store"
)

// resolving is how token documents are fetched, in every command that does.
type resolving struct {
	AllowPrivateMetadata bool          `help:"Fetch token documents from private and loopback addresses too: for tests and intranets only."`
	IPFSGateway          []string      `name:"ipfs-gateway" help:"Fetch ipfs: documents from this gateway, a CID is appended; several are tried in turn (repeatable). Public ones unless given." placeholder:"URL" sep:","`
	ArweaveGateway       []string      `help:"Fetch ar: documents from this gateway, in the same way. Public ones unless given." placeholder:"URL" sep:","`
	Recheck              time.Duration `help:"Fetch documents of this age again, whether or not an event asks for it; never unless given." placeholder:"DURATION"`
}

// check refuses values that no flag type refuses.
func (r *resolving) check() error {
	fetcher, err := r.fetcher()
	if err == nil {
		fetcher.Close()
	}
	return err
}

// fetcher returns what the flags ask for, or an error of one line.
func (r *resolving) fetcher() (*metadata.Fetcher, error) {
	if r.Recheck < 0 {
		return nil, fmt.Errorf("--recheck is %s: want a time to wait, such as 24h", r.Recheck)
	}
	return metadata.NewFetcher(metadata.FetcherOptions{
		AllowPrivate: r.AllowPrivateMetadata, IPFS: r.IPFSGateway, Arweave: r.ArweaveGateway,
	})
}

// maxCalls bounds the answer to a batch of contract calls, in bytes: a URI may
// hold a whole document.
const maxCalls = 32 << 20

// resolve resolves the tokens that wait in s, of some collections or all, until
// ctx ends or, if once, until none is due. It returns how many documents there
// were and how many tokens have none.
func (r *resolving) resolve(ctx context.Context, e *env, s *store.Store, urls []string, contracts []evm.Address, once bool) (documents, failures int64, err error) {
	fetcher, err := r.fetcher()
	if err != nil {
		return 0, 0, err
	}
	defer fetcher.Close()
	// A client of its own: what contracts do to it does not hold up a follower.
	client, err := dial(ctx, e, s, urls, jsonrpc.Options{MaxBody: maxCalls, Final: s.FinalBlock}, !once)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	if r.AllowPrivateMetadata {
		e.log.Warn("token documents may come from private and loopback addresses: any token can make this program ask the machines around it")
	}
	var found, failed atomic.Int64
	progress := newProgress(e, "tokens", func() (done, size int64) { return found.Load() + failed.Load(), 0 })
	defer progress.stop()
	worker := &metadata.Worker{
		Queue: s.Queue(store.QueueOptions{Contracts: contracts}), Caller: client, Fetcher: fetcher, Log: e.log, Recheck: r.Recheck,
		Panicked: e.events.panics.Inc,
		Progress: func(documents, failures int) {
			found.Add(int64(documents))
			failed.Add(int64(failures))
			progress.add(documents)
		},
	}
	err = worker.Run(ctx, once)
	return found.Load(), failed.Load(), err
}

type metadataCommand struct {
	database
	resolving
	RPC      []string      `name:"rpc" help:"JSON-RPC endpoint of a node, http(s) or ws(s); several are tried in turn (repeatable)." placeholder:"URL" sep:","`
	Contract []evm.Address `help:"Resolve only tokens of this collection (repeatable)." placeholder:"A" sep:","`
	Once     bool          `help:"Stop as soon as nothing is left to do: sync at the head, metadata when no token is due."`
	Retry    bool          `name:"retry-failed" help:"Try all tokens again whose last try failed, whenever their next was to be."`
}

// Validate implements kong's check of flags.
func (c *metadataCommand) Validate() error {
	return cmp.Or(c.database.check(), requireRPC(c.RPC), c.resolving.check())
}

func (c *metadataCommand) endless() bool { return !c.Once }

// Run resolves tokens until ctx ends or, with --once, until none is due.
func (c *metadataCommand) Run(ctx context.Context, e *env) (err error) {
	open := func() (*store.Store, error) { return c.read(ctx, e, store.Options{}) }
	var s *store.Store
	if c.Once {
		s, err = open()
	} else {
		s, err = await(ctx, e, open)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if c.Retry {
		retried, err := s.Queue(store.QueueOptions{Contracts: c.Contract}).RetryFailed(ctx)
		if err != nil {
			return err
		}
		e.log.Info("trying again", "tokens", retried)
	}
	documents, failures, err := c.resolve(ctx, e, s, c.RPC, c.Contract, c.Once)
	if err != nil {
		return unfinished(ctx, err, again)
	}
	fmt.Fprintf(e.stdout, "Resolved %d tokens: %d have a document, %d failed and are tried again later.\n", documents+failures, documents, failures)
	return nil
}
