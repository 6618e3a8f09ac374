package following

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Following holds the flags of commands that follow a chain.
type Following struct {
	Nodes
	Proving
	Deployment
	FromBlock      uint64         `help:"First block to index." placeholder:"N" chain:""`
	ToBlock        *uint64        `help:"Last block to index." placeholder:"N" chain:""`
	Contract       []evm.Address  `help:"Index only this collection (repeatable). Stored in the database." placeholder:"A" sep:"," chain:""`
	HeaderDepth    uint64         `help:"Fetch the headers of all blocks up to this far below the head, so that empty ones can also be queried by hash. Default: ${default}." default:"${header_depth}" placeholder:"N" chain:""`
	ReceiptsDepth  uint64         `help:"Read blocks up to this far below the head from their receipts and prove them. Older blocks are read as ranges of logs. Default: ${default}." default:"${receipts_depth}" placeholder:"N" chain:""`
	AllowDeepReorg bool           `help:"Accept reorgs of finalized blocks, which are otherwise refused." chain:""`
	GiveUpAfter    time.Duration  `help:"Leave out a finalized block that no endpoint gives for longer than this, and retry it later. Default: ${default}." default:"1h" placeholder:"DURATION" chain:""`
	Audit          string         `help:"Prove and repair finalized blocks that were not proved when they were read: ${enum}. spots proves blocks with records and a sample of the others, one per second once the head is reached. Default: ${default}." enum:"spots,full,off" default:"spots" chain:""`
	Poll           *time.Duration `help:"Fixed interval between requests for the head. Default: by the time between two blocks, at most 2s." placeholder:"DURATION" chain:""`
	KeepChanges    time.Duration  `help:"Keep the log of changes for this long; cursors of changes expire with it. Default: ${default}." default:"720h" placeholder:"DURATION" chain:""`
	// Bound, if set, is called once the database has the chain's id.
	Bound    func() `kong:"-"`
	Metadata bool   `help:"Also fetch token documents. With --once, only the metadata command fetches them." default:"true" negatable:"" chain:""`
	Resolving
}

// Proving holds the flag of commands that prove blocks.
type Proving struct {
	Unprovable bool `help:"Accept headers that prove nothing, as on Ethermint chains, even from a single endpoint." chain:""`
}

// Deployment holds the flag of commands that store blocks.
type Deployment struct {
	FromDeployment bool `help:"Declare that no mint or burn precedes the first indexed block, so that supplies are known. Stored in the database." chain:""`
}

// HeaderDepth is the default of --header-depth.
const HeaderDepth = 100_000

// ReceiptsDepth is the default of --receipts-depth.
const ReceiptsDepth = 10_000

// leastChanges and mostChanges bound --keep-changes.
const leastChanges, mostChanges = time.Hour, 100 * 365 * 24 * time.Hour

// Check checks constraints that the flag types cannot express.
func (c *Following) Check() error {
	return cmp.Or(
		flags.CheckBlocks(&c.FromBlock, c.ToBlock), flags.CheckBlock("--header-depth", &c.HeaderDepth), flags.CheckBlock("--receipts-depth", &c.ReceiptsDepth),
		flags.Within("--poll", *cmp.Or(c.Poll, new(indexer.MaxPoll)), time.Millisecond, time.Hour), flags.NotNegative("--give-up-after", c.GiveUpAfter),
		flags.Within("--keep-changes", c.KeepChanges, leastChanges, mostChanges), c.Resolving.Check(),
	)
}

// Follow keeps s at the head of the chain or, with once, returns when s has reached it.
// Without once, it follows whenever no other process holds the lease. It returns the
// counts of what it indexed.
func (c *Following) Follow(ctx context.Context, e *process.Env, s *write.DB, d Decoding, once bool) (*Indexed, error) {
	done := NewIndexed(e, !once)
	defer done.Progress.Stop()
	tasks, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	if !once {
		tasks.Go(func() error {
			done.status(ctx, e, s)
			return nil
		})
	}
	startTasks := sync.OnceFunc(func() {
		if !once {
			c.startTasks(ctx, e, s, tasks)
		}
	})
	tasks.Go(func() error {
		defer stop()
		if once {
			return c.followBound(ctx, e, s, d, once, done, startTasks)
		}
		if _, _, err := c.bind(ctx, e, s, s.Settings().Unstored(), d, once); err != nil {
			return err
		}
		return opening.WhileLeading(ctx, e, s, func(ctx context.Context) error { return c.followLeading(ctx, e, s, d, done, startTasks) })
	})
	return done, tasks.Wait()
}

// followLeading follows while s holds the lease, with the decoder options that are in the
// database at that time.
func (c *Following) followLeading(ctx context.Context, e *process.Env, s *write.DB, d Decoding, done *Indexed, startTasks func()) error {
	// A killed process may have left indexes pending.
	if err := opening.Retry(ctx, e.Log, "building indexes", opening.AnyError, func() error { return opening.FinishLoad(ctx, e, s) }); err != nil {
		return err
	}
	return c.followBound(ctx, e, s, d, false, done, startTasks)
}

// bind binds s to the options of the flags, with settings, and returns a decoder and client options
// that use them. Unless once is set, it retries while the database is lost.
func (c *Following) bind(ctx context.Context, e *process.Env, s *write.DB, settings write.Settings, d Decoding, once bool) (decoder *nft.Decoder, o jsonrpc.Options, err error) {
	err = opening.Retry(ctx, e.Log, "reading settings", func(err error) bool { return !once && read.IsLost(err) }, func() (err error) {
		if decoder, err = d.Bind(ctx, e, settings, c.Contract); err != nil {
			return err
		}
		if c.FromDeployment {
			if err := flags.Error("--from-deployment", settings.SetDeployment(ctx, c.FromBlock)); err != nil {
				return err
			}
		}
		o, err = clientOptions(ctx, e, s, settings, decoder, d)
		return err
	})
	if o.AcceptUnprovable = c.Unprovable; c.AllowDeepReorg {
		o.Final = nil
	}
	return decoder, o, err
}

// startTasks starts the tasks that do not depend on the decoder options.
func (c *Following) startTasks(ctx context.Context, e *process.Env, s *write.DB, tasks *errgroup.Group) {
	tasks.Go(until(ctx, func() error {
		return opening.Retry(ctx, e.Log, "counting traits", opening.AnyError, func() error { return opening.CountTraits(ctx, e, s) })
	}))
	if c.Metadata {
		tasks.Go(func() error {
			if _, _, err := c.Resolve(ctx, e, s, c.Nodes, nil, false, func(int) {}); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
}

// until returns a task of low priority, whose error is ignored once ctx has ended.
func until(ctx context.Context, task func() error) func() error {
	return func() error {
		lowPriority()
		if err := task(); ctx.Err() == nil {
			return err
		}
		return nil
	}
}

// followBound is follow with one decoder. Once a node has answered, it binds s to the options of the
// flags, and calls ready.
func (c *Following) followBound(ctx context.Context, e *process.Env, s *write.DB, d Decoding,
	once bool, done *Indexed, ready func(),
) error {
	decoder, o, err := c.bind(ctx, e, s, s.Settings().Unstored(), d, once)
	if err != nil {
		return err
	}
	client, err := c.Dial(ctx, e, s, s.Settings(), o, !once)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, _, err := c.bind(ctx, e, s, s.Settings(), d, once); err != nil {
		return err
	}
	if c.Bound != nil {
		c.Bound()
	}
	ready()
	tasks, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	tasks.Go(func() error {
		(&health{store: s, client: client, log: e.Log, now: e.Now, panicked: e.Events.Panics.Inc}).run(ctx)
		return nil
	})
	heads := make(chan evm.Header)
	tasks.Go(until(ctx, func() error { return newHeads(ctx, e, client.NewHeads, heads) }))
	auditor := newAuditor(e, s, client, decoder)
	auditor.MaxStall = c.maxStall()
	doubtful := doubtful(auditor, client, s)
	if !once {
		tasks.Go(until(ctx, func() error { return checkCounters(ctx, e, s, time.Second) }))
		tasks.Go(until(ctx, func() error { return fillDigests(ctx, e, s, time.Second) }))
		tasks.Go(until(ctx, func() error { return doubtful.Run(ctx, false) }))
		switch c.Audit {
		case "full":
			tasks.Go(until(ctx, func() error { return auditor.Run(ctx, false) }))
		case "spots":
			tasks.Go(until(ctx, func() error { return spots(ctx, e, s, client, auditor.Verifier, c.FromBlock) }))
		}
	}
	tasks.Go(func() error {
		defer stop()
		lowPriority()
		err := c.run(ctx, e, s, decoder, client, once, done, heads)
		if err == nil && once {
			err = settle(ctx, doubtful)
		}
		if err == nil && c.Audit == "full" && once {
			err = auditor.Run(ctx, true)
		}
		if errors.Is(err, indexer.ErrStalled) {
			err = fmt.Errorf("%w; %s, or with another --rpc", err, process.Again)
		}
		if err == nil {
			err = opening.Retry(ctx, e.Log, "reading the gaps", func(err error) bool { return !once && read.IsLost(err) }, func() error { return c.complete(ctx, s) })
		}
		return err
	})
	return tasks.Wait()
}

// newHeads sends the new heads that nodes push. It subscribes again after errors, until
// ctx ends or no node can push.
func newHeads(ctx context.Context, e *process.Env, subscribe func(context.Context, func(evm.Header)) error, heads chan<- evm.Header) error {
	push := func(err error) bool { return !errors.Is(err, rpcerror.ErrNoSubscription) }
	err := opening.Retry(ctx, e.Log, "polling for new heads", push, func() error {
		return retrying.Safely(e.Log, e.Events.Panics.Inc, func() error {
			return subscribe(ctx, func(h evm.Header) {
				select {
				case heads <- h:
				case <-ctx.Done():
				}
			})
		})
	})
	if push(err) {
		return err
	}
	return nil
}

// clientOptions returns the options of a client that requests the logs that d decodes, and
// the transactions that flags select, with settings.
func clientOptions(ctx context.Context, e *process.Env, s *write.DB, settings write.Settings, d *nft.Decoder, flags Decoding) (o jsonrpc.Options, err error) {
	o = jsonrpc.Options{Contracts: slices.Collect(maps.Keys(d.Contracts)), Unindexed: slices.Collect(maps.Keys(d.Unindexed)), Final: s.FinalBlock}
	o.OnLeftOut = func(ctx context.Context, url string, evidence error) error {
		what := "endpoint returns wrong logs"
		if rpcerror.Class(evidence) == rpcerror.ClassLeavesOut {
			what = "endpoint leaves logs out"
		}
		e.Log.Warn(what+": its ranges are read from receipts from now on", "endpoint", url, "error", evidence)
		return s.Settings().MarkLeavesOut(ctx, url)
	}
	if o.LeavesOut, err = s.Settings().LeavesOut(ctx); err == nil {
		o.Transactions, err = flags.Details(ctx, settings, d)
	}
	return o, err
}

// run runs the follower.
func (c *Following) run(ctx context.Context, e *process.Env, s *write.DB, d *nft.Decoder, client *jsonrpc.Client, once bool, done *Indexed, heads <-chan evm.Header) error {
	var finalized evm.Header
	follower := &indexer.Follower{
		Source:  &source{Client: client, store: s},
		Store:   followed{DB: s, client: client, env: e, allowDeep: c.AllowDeepReorg},
		Decoder: d,
		Loop:    indexer.Loop{Log: e.Log, Poll: *cmp.Or(c.Poll, new(time.Duration)), Fatal: fatal(e), Lost: unreachable, MaxStall: c.maxStall(), Panicked: e.Events.Panics.Inc, Now: e.Now},
		From:    c.FromBlock, To: c.ToBlock, HeaderDepth: c.HeaderDepth, ReceiptsDepth: c.ReceiptsDepth, Workers: indexer.DefaultWorkers,
		Limited: client.Limited, Gaps: s, GiveUpAfter: c.GiveUpAfter, Refused: refused, Pruned: rpcerror.FirstBlock,
		Begin: lowPriority, Reorged: func(depth uint64) {
			done.reorgs.Add(1)
			e.Events.Reorgs.Observe(float64(depth))
		},
		Progress: func(p indexer.Progress) {
			e.Events.Blocks.Add(float64(p.Blocks))
			e.Events.Records.Add(float64(p.Records))
			done.Add(p)
		},
		Head: func(ctx context.Context, latest, final evm.Header) error {
			done.head.Store(latest.Number)
			if final == finalized {
				return nil
			}
			err := s.SetFinalized(ctx, final)
			if err == nil {
				finalized = final
			}
			return err
		},
	}
	err := follower.Run(ctx, once, heads)
	if head := done.head.Load(); err == nil && once && c.FromBlock > head {
		err = fmt.Errorf("--from-block: got %d, want at most %d, the head of the chain", c.FromBlock, head)
	}
	return err
}

// maxStall returns [maxStall] or, where that is shorter, --give-up-after.
func (c *Following) maxStall() time.Duration {
	// Zero would mean no limit.
	return max(time.Nanosecond, min(maxStall, c.GiveUpAfter))
}

// refused reports whether err means that no endpoint gives a block. It also returns the
// class of err.
func refused(err error) (reason string, refused bool) {
	return rpcerror.Class(err), rpcerror.Refuses(err)
}

// complete fails if the database has gaps in the range to index.
func (c *Following) complete(ctx context.Context, s *write.DB) error {
	gaps, err := s.Gaps(ctx)
	gaps = slices.DeleteFunc(gaps, func(gap evm.Gap) bool {
		return gap.ToBlock < c.FromBlock || c.ToBlock != nil && gap.FromBlock > *c.ToBlock
	})
	if err != nil || len(gaps) == 0 {
		return err
	}
	return fmt.Errorf("the database has %s, the first from block %d to %d (%s): run it again, or with another endpoint",
		console.Count(len(gaps), "gap"), gaps[0].FromBlock, gaps[0].ToBlock, gaps[0].Reason)
}
