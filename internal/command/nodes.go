package command

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// dial returns a client for the chain that s holds, and notes which it is in a
// database that holds none yet. It fails if every node that answers serves
// another chain. With patient it waits for the database, and for a node that
// answers: once it has waited, it waits for one of the right chain, too.
func dial(ctx context.Context, e *env, s *store.Store, urls []string, o jsonrpc.Options, patient bool) (*jsonrpc.Client, error) {
	worth := func(err error) bool { return patient && store.IsLost(err) }
	err := persist(ctx, e.log, "reading the chain id", func() (err error) {
		if o.ChainID, err = s.Settings().ChainID(ctx); err == nil {
			o.Numbering, err = s.Settings().Numbering(ctx)
		}
		if err == nil {
			o.Proved, err = s.Proofs().Any(ctx)
		}
		return err
	}, worth)
	if err != nil {
		return nil, err
	}
	o.Numbered = func(ctx context.Context, shown evm.Numbering, block evm.BlockRef) (evm.Numbering, error) {
		bound, err := s.Settings().BindNumbering(ctx, shown)
		if err == nil && shown == evm.NumberingTransaction {
			e.log.Warn("log indices begin again in each transaction: blocks with logs that matter are read in full, and logIndex is the place in the block", "block", block.Number)
		}
		return bound, err
	}
	o.NotProvable = func(ctx context.Context, r evm.Range, reason string) error {
		noted, err := s.Proofs().SetUnprovable(ctx, r, reason, o.Unprovable)
		if err == nil && !noted {
			e.log.Warn("two endpoints agree on headers that prove nothing, though other blocks of the chain are proved", "from", r.From, "to", r.To, "reason", reason)
		}
		return err
	}
	client, err := jsonrpc.Dial(urls, o)
	if err != nil {
		return nil, err
	}
	var id uint64
	waited := false
	err = persist(ctx, e.log, "the node does not answer", func() (err error) {
		id, err = client.ChainID(ctx)
		return err
	}, func(err error) bool {
		defer func() { waited = true }()
		return patient && (waited || !errors.Is(err, jsonrpc.ErrWrongChain))
	})
	if errors.Is(err, jsonrpc.ErrWrongChain) && o.ChainID != nil {
		err = fmt.Errorf("%w: use another database", err)
	}
	if err == nil {
		err = persist(ctx, e.log, "storing the chain id", func() error { return s.Settings().BindChain(ctx, id) }, worth)
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}
