package command

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	Contract    []evm.Address `help:"Index only this collection (repeatable)." placeholder:"A" sep:","`
	HeaderDepth uint64        `help:"Fetch the headers of all blocks this far below the head, so that empty ones are found by hash too." default:"100000" placeholder:"N"`
	Poll        time.Duration `help:"Time between two looks at the head." default:"2s"`
}

type syncCommand struct {
	database
	decoding
	following
	Once bool `help:"Stop at the head."`
}

// Run follows the chain until ctx ends or, with --once or --to-block, until it
// is indexed so far.
func (c *syncCommand) Run(ctx context.Context, e *env) (err error) {
	if len(c.RPC) == 0 {
		return errors.New("missing --rpc: want the URL of a node")
	}
	s, err := store.Open(ctx, c.DB, store.Options{Loading: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return c.follow(ctx, e, s, c.decoding, c.Once)
}

// follow keeps s level with the chain.
func (c *following) follow(ctx context.Context, e *env, s *store.Store, d decoding, once bool) error {
	if c.ToBlock != nil && *c.ToBlock < c.FromBlock {
		return fmt.Errorf("--to-block %d is below --from-block %d", *c.ToBlock, c.FromBlock)
	}
	client, err := chain.Dial(c.RPC, chain.ClientOptions{Contracts: c.Contract, Unindexed: d.Unindexed})
	if err != nil {
		return err
	}
	defer client.Close()
	id, err := client.ChainID(ctx)
	if err != nil {
		return err
	}
	if err := s.BindChain(ctx, id); err != nil {
		return err
	}
	progress := newIndexed(e)
	defer progress.progress.stop()
	var finalized evm.Header
	follower := &indexer.Follower{
		Source: source{client}, Store: followed{s}, Decoder: d.decoder(), Log: e.log,
		From: c.FromBlock, To: c.ToBlock, HeaderDepth: c.HeaderDepth, Workers: 4, Poll: c.Poll,
		Progress: progress.add,
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
func (f followed) Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range) error {
	_, err := f.Store.Extend(ctx, blocks, indexed)
	return err
}

// Replace implements [indexer.Store].
func (f followed) Replace(ctx context.Context, above uint64, blocks []nft.Block, _ evm.Range) error {
	_, err := f.Rollback(ctx, above, blocks)
	return err
}
