package command

import (
	"context"
	"errors"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// source is a client as the follower wants it.
type source struct {
	*jsonrpc.Client
	store *store.Store
	// retracted is the last block that was retracted.
	retracted evm.BlockRef
}

// Head implements [indexer.Source].
func (s *source) Head(ctx context.Context) (latest, finalized evm.Header, err error) {
	head, err := s.Client.Head(ctx)
	if err == nil && head.Retracted != s.retracted {
		if err = s.store.RetractFinalized(ctx, head.Retracted, head.RetractedTo); err == nil {
			s.retracted = head.Retracted
		}
	}
	return head.Latest, head.Finalized, err
}

// followed is a store that refuses reorgs of final blocks, or checks the chain
// before it carries them out.
type followed struct {
	*store.Store
	client    *jsonrpc.Client
	env       *env
	allowDeep bool
}

// ReplaceAbove implements [indexer.Store].
func (f followed) ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	err := f.Store.ReplaceAbove(ctx, above, blocks, proven)
	if !errors.Is(err, store.ErrDeepReorg) {
		return err
	}
	if !f.allowDeep {
		f.env.events.deepReorgs.Inc()
		f.env.log.Error("refusing a reorg of final blocks; --allow-deep-reorg carries it out", "common_ancestor", above, "error", err)
		return err
	}
	// Another chain may have come to be behind the same address.
	if err := f.client.Recheck(ctx); err != nil {
		return err
	}
	f.env.log.Warn("replacing final blocks", "common_ancestor", above, "reason", err)
	return f.DeepReplaceAbove(ctx, above, blocks, proven)
}

// isOther reports whether the database is bound to other options of the decoder
// than this process.
func isOther(err error) bool {
	var other *store.DecodingError
	return errors.As(err, &other)
}
