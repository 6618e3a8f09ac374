package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// following is how a chain is followed, in every command that does.
type following struct {
	RPC         []string      `name:"rpc" help:"JSON-RPC endpoint of a node, http(s) or ws(s); several are tried in turn (repeatable)." placeholder:"URL" sep:","`
	FromBlock   uint64        `help:"First block to index." placeholder:"N"`
	ToBlock     *uint64       `help:"Last block to index." placeholder:"N"`
	Contract    []evm.Address `help:"Index only this collection (repeatable); the database remembers it." placeholder:"A" sep:","`
	HeaderDepth uint64        `help:"Fetch the headers of all blocks this far below the head, so that empty ones are found by hash too." default:"100000" placeholder:"N"`
	WholeDepth  uint64        `help:"Read every block this far below the head whole, and prove it: older ones are asked for by ranges of logs." default:"10000" placeholder:"N"`
	Audit       bool          `help:"Prove final blocks that were not proved when they were read, in the background, and repair what differs."`
	Poll        time.Duration `help:"Time between two looks at the head." default:"2s"`
	Metadata    bool          `help:"Fetch token documents meanwhile; with --once they are left to the metadata command." default:"true" negatable:""`
	resolving
}

type syncCommand struct {
	database
	decoding
	following
	Once bool `help:"Stop as soon as nothing is left to do: sync at the head, metadata when no token is due."`
}

// Validate refuses values that no flag type refuses.
func (c *syncCommand) Validate() error {
	return cmp.Or(c.database.check(), requireRPC(c.RPC), c.following.check())
}

// check refuses values that no flag type refuses.
func (c *following) check() error {
	if c.ToBlock != nil && *c.ToBlock < c.FromBlock {
		return fmt.Errorf("--to-block %d is below --from-block %d", *c.ToBlock, c.FromBlock)
	}
	return c.resolving.check()
}

// endless reports whether no flag says where to stop.
func (c *syncCommand) endless() bool { return !c.Once && c.ToBlock == nil }

// Run follows the chain until ctx ends or, with --once or --to-block, until it
// is indexed so far.
func (c *syncCommand) Run(ctx context.Context, e *env) (err error) {
	signal.Ignore(syscall.SIGHUP)
	defer func() { err = unfinished(ctx, err, again) }()
	var done *indexed
	follow := func(s *store.Store) (err error) {
		done, err = c.follow(ctx, e, s, c.decoding, c.Once)
		return err
	}
	if c.Once {
		err = c.load(ctx, e, follow)
	} else {
		err = c.keep(ctx, e, follow)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Indexed %s.\n", done)
	return err
}

// keep opens the database for work that has no end of its own.
func (c *syncCommand) keep(ctx context.Context, e *env, work func(*store.Store) error) error {
	s, err := c.open(ctx, e, store.Options{Loading: true})
	if err != nil {
		return err
	}
	return errors.Join(work(s), s.Close())
}

// follow keeps s level with the chain. It returns what was indexed.
func (c *following) follow(ctx context.Context, e *env, s *store.Store, d decoding, once bool) (done *indexed, err error) {
	contracts, err := s.BindContracts(ctx, c.Contract)
	if err != nil {
		return nil, err
	}
	client, err := chain.Dial(c.RPC, chain.ClientOptions{Contracts: contracts, Unindexed: d.Unindexed})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := bindChain(ctx, s, client); err != nil {
		return nil, err
	}
	done = newIndexed(e)
	defer done.progress.stop()
	tasks, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	watch := &watch{store: s, client: client, log: e.log}
	tasks.Go(func() error { return watch.run(ctx) })
	auditor := &indexer.Auditor{
		Verifier: &indexer.Verifier{
			Prover: client, Records: s, Decoder: d.decoder(contracts), Workers: 4, Repair: followed{Store: s}.Repair,
			Report: func(difference string) { e.log.Warn("repairing", "difference", difference) },
		},
		Unverified: s.Unverified, Log: e.log, Poll: 10 * time.Second, Unprovable: unprovable,
	}
	if c.Audit && !once {
		tasks.Go(func() error {
			background()
			if err := auditor.Run(ctx, false); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	if c.Metadata && !once {
		tasks.Go(func() error {
			if _, _, err := c.resolve(ctx, e, s, c.RPC, nil, false); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	tasks.Go(func() error {
		defer stop()
		background()
		err := c.run(ctx, e, s, d.decoder(contracts), client, once, done.add)
		if err == nil && c.Audit && once {
			err = auditor.Run(ctx, true)
		}
		return err
	})
	return done, tasks.Wait()
}

// run follows the chain.
func (c *following) run(ctx context.Context, e *env, s *store.Store, d *nft.Decoder, client *chain.Client, once bool, progress func(indexer.Progress)) error {
	var finalized evm.Header
	follower := &indexer.Follower{
		Source: source{client}, Store: followed{Store: s}, Decoder: d, Log: e.log,
		From: c.FromBlock, To: c.ToBlock, HeaderDepth: c.HeaderDepth, WholeDepth: c.WholeDepth, Workers: indexer.DefaultWorkers, Poll: c.Poll,
		Begin: background, Progress: progress,
		Head: func(ctx context.Context, _, final evm.Header) error {
			if final == finalized {
				return nil
			}
			finalized = final
			return s.SetFinalized(ctx, final)
		},
	}
	heads, err := client.NewHeads(ctx)
	if err != nil && !errors.Is(err, chain.ErrNoSubscription) {
		e.log.Warn("new heads are polled for", "error", err)
	}
	return follower.Run(ctx, once, heads)
}

// bindChain makes sure that the database and the node hold one chain.
func bindChain(ctx context.Context, s *store.Store, client *chain.Client) error {
	id, err := client.ChainID(ctx)
	if err != nil {
		return err
	}
	return s.BindChain(ctx, id)
}

// unprovable reports whether waiting will not make blocks provable.
func unprovable(err error) bool {
	return errors.Is(err, chain.ErrNotProvable) || errors.Is(err, chain.ErrPruned)
}

// source is a client as the follower wants it.
type source struct{ *chain.Client }

// Head implements [indexer.Source].
func (s source) Head(ctx context.Context) (latest, finalized evm.Header, err error) {
	head, err := s.Client.Head(ctx)
	return head.Latest, head.Finalized, err
}

// followed is a store as the follower wants it.
type followed struct{ *store.Store }

// Extend implements [indexer.Store].
func (f followed) Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error {
	_, err := f.Store.Extend(ctx, blocks, indexed, proven)
	return conflict(err)
}

// Replace implements [indexer.Store].
func (f followed) Replace(ctx context.Context, above uint64, blocks []nft.Block, _ evm.Range, proven bool) error {
	_, err := f.Rollback(ctx, above, blocks, proven)
	return conflict(err)
}

// Repair is what [indexer.Verifier] repairs with.
func (f followed) Repair(ctx context.Context, blocks []nft.Block) error {
	return conflict(f.Store.Repair(ctx, blocks))
}

// conflict names a contradiction as the follower knows it.
func conflict(err error) error {
	var refused *store.BlockError
	if errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", indexer.ErrConflict, err)
	}
	return err
}
