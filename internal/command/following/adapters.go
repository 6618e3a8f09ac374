package following

import (
	"context"
	"errors"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/write"
)

// source adapts a client to [indexer.Source].
type source struct {
	*jsonrpc.Client
	store *write.DB
	// retracted is the last finalized block that the nodes retracted.
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

// Blocks implements [indexer.Source].
func (s *source) Blocks(ctx context.Context, from, to uint64, full bool) (blocks []evm.Block, proven bool, err error) {
	if full {
		return s.Full(ctx, from, to)
	}
	return s.Client.Blocks(ctx, from, to)
}

// followed is a store that refuses reorgs of finalized blocks. With allowDeep, it accepts
// them after checking the chain id again.
type followed struct {
	*write.DB
	client    *jsonrpc.Client
	env       *process.Env
	allowDeep bool
}

// ReplaceAbove implements [indexer.Store].
func (f followed) ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	err := f.DB.ReplaceAbove(ctx, above, blocks, proven)
	if !errors.Is(err, write.ErrDeepReorg) {
		return err
	}
	if !f.allowDeep {
		f.env.Events.DeepReorgs.Inc()
		f.env.Log.Error("refusing a reorg of finalized blocks; --allow-deep-reorg accepts it", "common_ancestor", above, "error", err)
		return err
	}
	// The endpoint may have moved to another chain.
	if err := f.client.Recheck(ctx); err != nil {
		return err
	}
	f.env.Log.Warn("replacing finalized blocks", "common_ancestor", above, "reason", err)
	return f.DeepReplaceAbove(ctx, above, blocks, proven)
}

// fatal returns a function that reports whether an error ends the loops of a command: an
// error of isOther or, if the command ends by itself, an error of SQLite's files such as a
// full disk.
func fatal(e *process.Env) func(error) bool {
	return func(err error) bool {
		var file *database.FileError
		return isOther(err) || !e.Endless && errors.As(err, &file)
	}
}

// isOther reports whether err means that another process holds the lease, or has bound the
// database to different decoder options.
func isOther(err error) bool {
	var bound *write.DecodingError
	var led *lease.Error
	return errors.As(err, &bound) || errors.As(err, &led)
}
