package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// following is how a chain is followed, in every command that does.
type following struct {
	RPC            []string      `name:"rpc" help:"JSON-RPC endpoint of a node, http(s) or ws(s); several are tried in turn (repeatable)." placeholder:"URL" sep:","`
	FromBlock      uint64        `help:"First block to index." placeholder:"N"`
	ToBlock        *uint64       `help:"Last block to index." placeholder:"N"`
	Contract       []evm.Address `help:"Index only this collection (repeatable); the database remembers it." placeholder:"A" sep:","`
	HeaderDepth    uint64        `help:"Fetch the headers of all blocks this far below the head, so that empty ones are found by hash too." default:"100000" placeholder:"N"`
	ReceiptsDepth  uint64        `help:"Read the blocks this far below the head from their receipts, and prove them; older ones are read by ranges of logs." default:"10000" placeholder:"N"`
	AllowDeepReorg bool          `help:"Replace final blocks, too, where the chain has others. Without it such a reorg is refused."`
	GiveUpAfter    time.Duration `help:"Leave out a final block about which every endpoint contradicts itself for longer than this, and try it again later." default:"1h" placeholder:"DURATION"`
	Unprovable     bool          `help:"The headers of this chain prove nothing (Ethermint, for one), though only one endpoint has them."`
	Audit          string        `help:"Which final blocks to prove, and to repair, that were not proved when they were read: ${enum}. Spots are blocks with records and a sample of the others, one a second once the head is reached; ${default} unless given." enum:"spots,full,off" default:"spots"`
	Poll           time.Duration `help:"Time between two looks at the head." default:"2s"`
	Metadata       bool          `help:"Fetch token documents meanwhile; with --once they are left to the metadata command." default:"true" negatable:""`
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
	return cmp.Or(
		checkBlocks(&c.FromBlock, c.ToBlock), checkBlock("--header-depth", &c.HeaderDepth), checkBlock("--receipts-depth", &c.ReceiptsDepth),
		within("--poll", c.Poll, time.Millisecond, time.Hour), notNegative("--give-up-after", c.GiveUpAfter), c.resolving.check(),
	)
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

// keep opens the database for work that has no end of its own, and waits for it.
func (c *syncCommand) keep(ctx context.Context, e *env, work func(*store.Store) error) error {
	s, err := await(ctx, e, func() (*store.Store, error) { return c.open(ctx, e, store.Options{Loading: true}) })
	if err != nil {
		return err
	}
	return errors.Join(work(s), s.Close())
}

// follow keeps s level with the chain. It returns what was indexed. If another
// process redecodes the database, an endless follow waits until that is finished,
// and goes on with the new options unless the flags contradict them.
func (c *following) follow(ctx context.Context, e *env, s *store.Store, d decoding, once bool) (*indexed, error) {
	done := newIndexed(e)
	defer done.progress.stop()
	tasks, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	beside := sync.OnceFunc(func() {
		if !once {
			c.beside(ctx, e, s, tasks)
		}
	})
	tasks.Go(func() error {
		defer stop()
		waits := func(err error) bool { return !once && store.IsLost(err) }
		decoder, o, err := c.bind(ctx, e, s, d, waits)
		for err == nil {
			err = c.followBound(ctx, e, s, decoder, o, once, done, beside)
			other := new(store.DecodingError)
			if !errors.As(err, &other) {
				return err
			}
			if once {
				return other
			}
			e.log.Warn("the options of the decoder are changed: following again with those of the database", "error", err)
			decoder, o, err = c.bind(ctx, e, s, d, func(err error) bool { return waits(err) || errors.As(err, &other) && other.Unfinished })
		}
		return err
	})
	return done, tasks.Wait()
}

// bind binds s to the options of the decoder and returns what they decide: a
// decoder and a log filter. It tries again after errors for which waits holds.
func (c *following) bind(ctx context.Context, e *env, s *store.Store, d decoding, waits func(error) bool) (decoder *nft.Decoder, o jsonrpc.Options, err error) {
	err = persist(ctx, e.log, "reading settings", func() (err error) {
		if decoder, err = d.bind(ctx, e, s, c.Contract); err == nil {
			o, err = clientOptions(ctx, e, s, decoder)
		}
		return err
	}, waits)
	if o.Unprovable = c.Unprovable; c.AllowDeepReorg {
		o.Final = nil
	}
	return decoder, o, err
}

// beside starts the tasks that the decoder's options don't concern.
func (c *following) beside(ctx context.Context, e *env, s *store.Store, tasks *errgroup.Group) {
	tasks.Go(until(ctx, func() error { return checkCounters(ctx, e, s, time.Second) }))
	if c.Metadata {
		tasks.Go(func() error {
			if _, _, err := c.resolve(ctx, e, s, c.RPC, nil, false); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
}

// until returns a background task that does not fail once ctx has ended.
func until(ctx context.Context, task func() error) func() error {
	return func() error {
		background()
		if err := task(); ctx.Err() == nil {
			return err
		}
		return nil
	}
}

// followBound keeps s level with the chain. It calls ready once a node has
// answered, and fails with a [*store.DecodingError] when s is bound to other
// options than the decoder's.
func (c *following) followBound(ctx context.Context, e *env, s *store.Store, decoder *nft.Decoder, o jsonrpc.Options,
	once bool, done *indexed, ready func(),
) error {
	client, err := dial(ctx, e, s, c.RPC, o, !once)
	if err != nil {
		return err
	}
	defer client.Close()
	ready()
	tasks, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	watch := &watch{store: s, client: client, log: e.log, panicked: e.events.panics.Inc}
	tasks.Go(func() error {
		watch.run(ctx)
		return nil
	})
	heads := make(chan evm.Header)
	tasks.Go(until(ctx, func() error { return newHeads(ctx, e, client.NewHeads, heads) }))
	auditor := newAuditor(e, s, client, decoder)
	doubtful := doubtful(auditor, client, s)
	if !once {
		tasks.Go(until(ctx, func() error { return doubtful.Run(ctx, false) }))
	}
	if c.Audit == "full" && !once {
		tasks.Go(until(ctx, func() error { return auditor.Run(ctx, false) }))
	}
	if c.Audit == "spots" && !once {
		tasks.Go(until(ctx, func() error { return c.spots(ctx, e, s, client, auditor.Verifier) }))
	}
	tasks.Go(func() error {
		defer stop()
		background()
		err := c.run(ctx, e, s, decoder, client, once, done.add, heads)
		if err == nil && once {
			err = settle(ctx, doubtful)
		}
		if err == nil && c.Audit == "full" && once {
			err = auditor.Run(ctx, true)
		}
		if err == nil {
			err = complete(ctx, s)
		}
		return err
	})
	return tasks.Wait()
}

// newHeads sends the new heads that nodes push, which subscribe subscribes to. It
// subscribes again, with growing waits, until ctx ends or no node can push.
func newHeads(ctx context.Context, e *env, subscribe func(context.Context, func(evm.Header)) error, heads chan<- evm.Header) error {
	err := persist(ctx, e.log, "new heads are polled for", func() error {
		return indexer.Safely(e.log, e.events.panics.Inc, func() error {
			return subscribe(ctx, func(h evm.Header) {
				select {
				case heads <- h:
				case <-ctx.Done():
				}
			})
		})
	}, func(err error) bool { return !errors.Is(err, jsonrpc.ErrNoSubscription) })
	if errors.Is(err, jsonrpc.ErrNoSubscription) {
		return nil
	}
	return err
}

// The depths of [indexer.Follower] unless given.
const headerDepth, receiptsDepth = 100_000, 10_000

// clientOptions are those of a client that asks for the logs which d decodes.
func clientOptions(ctx context.Context, e *env, s *store.Store, d *nft.Decoder) (o jsonrpc.Options, err error) {
	o = jsonrpc.Options{Contracts: listed(d.Contracts), Unindexed: listed(d.Unindexed), Final: s.FinalBlock}
	o.Caught = func(ctx context.Context, url string, evidence error) error {
		e.log.Warn("endpoint leaves logs out: its ranges are read from receipts from now on", "endpoint", url, "error", evidence)
		return s.Settings().MarkLeavesOut(ctx, url)
	}
	o.LeavesOut, err = s.Settings().LeavesOut(ctx)
	return o, err
}

// newAuditor returns an auditor that proves and repairs what is final.
func newAuditor(e *env, s *store.Store, client *jsonrpc.Client, d *nft.Decoder) *indexer.Auditor {
	return &indexer.Auditor{
		Verifier: &indexer.Verifier{
			Prover: client, Records: s.Proofs(), Decoder: d, Workers: 4, Repair: s.Repair, Unprovable: unprovable,
			Report: func(line string) { e.log.Warn("auditing", "found", line) },
		},
		Unverified: s.Proofs().Unverified, Log: e.log, Poll: 10 * time.Second, Fatal: isOther,
		Panicked: e.events.panics.Inc,
	}
}

// doubtful returns an auditor of the ranges that an endpoint gave before it was
// caught leaving logs out.
func doubtful(a *indexer.Auditor, client *jsonrpc.Client, s *store.Store) *indexer.Auditor {
	of := *a
	of.Unverified = func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error) {
		return s.Proofs().UnverifiedIn(ctx, client.Doubtful(), skip)
	}
	return &of
}

// spots proves single blocks once the follower is at the head.
func (c *following) spots(ctx context.Context, e *env, s *store.Store, client *jsonrpc.Client, v *indexer.Verifier) error {
	left, err := s.Proofs().SpotsLeft(ctx)
	if err == nil && left > 0 {
		// A header and receipts for each.
		e.log.Info("blocks that were read by logs alone are proved in the background: those with records, and a sample of the others",
			"blocks", left, "calls_at_most", 2*left)
	}
	return (&indexer.SpotAuditor{
		Verifier: v, Next: s.Proofs().NextSpot, Done: s.Proofs().Spotted, Log: e.log, Pause: time.Second, Poll: c.Poll,
		Fatal: isOther, Panicked: e.events.panics.Inc,
		Level: func(ctx context.Context) (bool, error) {
			tip, _, found, err := s.Tip(ctx, c.FromBlock)
			head := uint64(0)
			for _, h := range client.Health() {
				head = max(head, h.Head)
			}
			return found && head > 0 && tip.Number+nearHead >= head, err
		},
	}).Run(ctx)
}

// nearHead is how many blocks below the head a follower may be that counts as
// being there.
const nearHead = 16

// settle proves the ranges that were stored before their endpoint was caught
// leaving logs out. It fails where that can't be done: logs may be missing.
func settle(ctx context.Context, doubtful *indexer.Auditor) error {
	if err := doubtful.Run(ctx, true); err != nil {
		return err
	}
	r, left, err := doubtful.Unverified(ctx, nil)
	if err == nil && left {
		err = fmt.Errorf("logs may be missing from block %d on: an endpoint leaves logs out, and its blocks can't be proved; sync a new database from another endpoint", r.From)
	}
	return err
}

// complete fails where blocks were given up.
func complete(ctx context.Context, s *store.Store) error {
	gaps, err := s.Gaps(ctx)
	if err != nil || len(gaps) == 0 {
		return err
	}
	return fmt.Errorf("%d ranges of blocks are left out, the first from block %d to %d (%s): run it again, or with another endpoint",
		len(gaps), gaps[0].FromBlock, gaps[0].ToBlock, gaps[0].Reason)
}

// run follows the chain.
func (c *following) run(ctx context.Context, e *env, s *store.Store, d *nft.Decoder, client *jsonrpc.Client, once bool, progress func(indexer.Progress), heads <-chan evm.Header) error {
	var finalized evm.Header
	follower := &indexer.Follower{
		Source:  &source{Client: client, store: s},
		Store:   followed{Store: s, client: client, env: e, allowDeep: c.AllowDeepReorg},
		Decoder: d, Log: e.log,
		From: c.FromBlock, To: c.ToBlock, HeaderDepth: c.HeaderDepth, ReceiptsDepth: c.ReceiptsDepth, Workers: indexer.DefaultWorkers, Poll: c.Poll,
		Gaps: s, GiveUpAfter: c.GiveUpAfter, Contradicted: contradicted,
		Begin: background, Progress: progress, Fatal: isOther, Panicked: e.events.panics.Inc,
		Head: func(ctx context.Context, _, final evm.Header) error {
			if final == finalized {
				return nil
			}
			finalized = final
			return s.SetFinalized(ctx, final)
		},
	}
	return follower.Run(ctx, once, heads)
}

// contradicted reports whether an error says that every endpoint contradicts
// itself, and the class of the error.
func contradicted(err error) (reason string, contradicted bool) {
	return jsonrpc.ErrorClass(err), jsonrpc.Contradicts(err)
}

// unprovable reports whether an error says that no node gives what proves a block,
// and the class of the reason.
func unprovable(err error) (class string, unprovable bool) {
	for _, reason := range []error{jsonrpc.ErrNotProvable, jsonrpc.ErrPruned} {
		if errors.Is(err, reason) {
			return reason.Error(), true
		}
	}
	return "", false
}
