package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Proven returns a block with all its logs, selected or not, proven complete: the
// header's hash is that of its fields, the receipts root that of the receipts which
// hold the logs, and the bloom filter that of the logs (an empty one is not
// compared: some chains keep none). The hash itself is the node's, for the caller
// to compare with a trusted one; so are the hashes of transactions, which no
// receipt holds.
//
// It fails with [ErrNotProvable] where the chain's header or receipts have another
// form than Ethereum's, and says what is different; with [ErrMismatch] where they
// have that form and do not fit. A header that does not fit counts as one of another
// form if another endpoint has it too, or [Options.Unprovable] says so.
func (c *Client) Proven(ctx context.Context, number uint64) (block evm.Block, err error) {
	err = c.try(ctx, fmt.Sprintf("proving block %d", number), func(e *endpoint) error {
		block, err = c.proven(ctx, e, number)
		return err
	})
	return block, err
}

func (c *Client) proven(ctx context.Context, e *endpoint, number uint64) (evm.Block, error) {
	h, err := e.headerAt(ctx, number)
	if err != nil {
		return evm.Block{}, err
	}
	if err := e.prove(h); err != nil {
		decided, failed := c.unprovable(ctx, e, err, h, h)
		if failed != nil {
			return evm.Block{}, failed
		}
		if decided && !errors.Is(err, ErrNotProvable) {
			err = fmt.Errorf("%w: %s: %s", ErrNotProvable, e.name, ReasonHash)
		}
		return evm.Block{}, err
	}
	c.isProvable()
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return evm.Block{}, err
	}
	logs, err := receipts.logs(ctx)
	if err != nil {
		return evm.Block{}, err
	}
	if err := receipts.prove(); err != nil {
		return evm.Block{}, err
	}
	if !h.hasNoBloom() && wire.Bloom(logs) != *h.bloom {
		return evm.Block{}, fmt.Errorf("%w: %s: the bloom filter is not that of the logs", ErrMismatch, e.name)
	}
	return evm.Block{Header: h.Header, Logs: logs}, nil
}

// prove compares the root of the receipts trie with that of the header, which is
// provable.
func (b *blockReceipts) prove() error {
	root, got := evm.Hash(b.h.ethereum.ReceiptHash), wire.ReceiptsRoot(b.list)
	if got == root {
		return nil
	}
	if i := slices.IndexFunc(b.list, func(r wire.Receipt) bool { return !r.Known() }); i >= 0 {
		return fmt.Errorf("%w: %s: the receipts root is not that of Ethereum's receipts; receipt %d has the type %#x",
			ErrNotProvable, b.e.name, i, b.list[i].Type)
	}
	if wire.HasStateSync(b.list, b.h.ethereum) {
		return fmt.Errorf("%w: %s: the receipts root does not cover the last receipt, which is of a state sync", ErrNotProvable, b.e.name)
	}
	return fmt.Errorf("%w: %s: the root of the receipts is %s, the header has %s", ErrMismatch, b.e.name, got, root)
}
