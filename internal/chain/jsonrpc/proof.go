package jsonrpc

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Proven returns a block with all its logs, selected or not, proven complete:
//
//   - the header's hash is the hash of its fields,
//   - its receipts root is the root of the receipts that contain the logs,
//   - its bloom filter is the filter of the logs (unless it is empty, because some
//     chains keep none).
//
// The block's hash itself is the node's, for the caller to compare with a trusted one.
// So are the transaction hashes, which receipts do not commit to.
//
// It fails with [rpcerror.ErrNotProvable] if the header or the receipts do not have Ethereum's
// form, and names the difference. It fails with [rpcerror.ErrMismatch] if they have that form
// but do not match. A header that does not match counts as not provable if another
// endpoint returns it too, or if [Options.AcceptUnprovable] is set.
func (c *Client) Proven(ctx context.Context, number uint64) (block evm.Block, err error) {
	ctx = c.slots.Holding(ctx)
	defer slot.Of(ctx).Release()
	err = c.try(ctx, fmt.Sprintf("proving block %d", number), func(e *node) error {
		block, err = c.proven(ctx, e, number)
		return err
	})
	return block, err
}

func (c *Client) proven(ctx context.Context, e *node, number uint64) (evm.Block, error) {
	h, err := e.headerAt(ctx, number)
	if err != nil {
		return evm.Block{}, err
	}
	if err := e.prove(h); err != nil {
		decided, failed := c.unprovable(ctx, e, err, h, h)
		if failed != nil {
			return evm.Block{}, failed
		}
		if decided && !errors.Is(err, rpcerror.ErrNotProvable) {
			err = fmt.Errorf("%w: %s: %s", rpcerror.ErrNotProvable, e.Name, ReasonHash)
		}
		return evm.Block{}, err
	}
	c.isProvable()
	receipts, err := e.receipts(ctx, h, nil)
	if err == nil {
		err = receipts.unproved
	}
	if err != nil {
		return evm.Block{}, err
	}
	logs, err := receipts.logs(ctx)
	if err == nil && !h.hasNoBloom() && wire.Bloom(logs) != *h.bloom {
		err = fmt.Errorf("%w: %s: the bloom filter does not match the logs", rpcerror.ErrMismatch, e.Name)
	}
	blocks := []evm.Block{{Header: h.Header, Logs: logs}}
	if err == nil {
		err = c.addTransactions(ctx, e, blocks, map[evm.Hash][]wire.Receipt{h.Hash: receipts.list})
	}
	return blocks[0], err
}
