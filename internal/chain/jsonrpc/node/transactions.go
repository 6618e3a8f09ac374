package node

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// wantedTransactions returns the transactions of a block whose details are wanted. The state
// sync of a Polygon block is no transaction of the block, see also [Node.dropUnlisted].
func (n *Node) wantedTransactions(b *evm.Block) (map[evm.Hash]bool, error) {
	if n.o.Transactions == nil || len(b.Logs) == 0 {
		return nil, nil
	}
	hashes, err := n.o.Transactions(b.Header, b.Logs)
	delete(hashes, wire.StateSync(b.Header.BlockRef))
	return hashes, err
}

// addTransactions reads the wanted transactions of blocks that e returned: for each block with
// such a transaction one call for its transactions and, unless receipts contains those of the
// block, one for its receipts. It fails if a transaction is missing.
func (n *Node) addTransactions(ctx context.Context, blocks []evm.Block, receipts map[evm.Hash][]wire.Receipt) error {
	for part := range slices.Chunk(blocks, firstReceiptsBatch) {
		var calls []*endpoint.Call
		var adds []func() error
		for i := range part {
			b := &part[i]
			wanted, err := n.wantedTransactions(b)
			if err != nil {
				return err
			}
			if len(wanted) == 0 {
				continue
			}
			known, whole, asked := receipts[b.Header.Hash], wholeBlock(b.Header.Hash), (*endpoint.Call)(nil)
			if calls = append(calls, whole); known == nil && !n.noBlockReceipts.Load() {
				asked = receiptsOf(b.Header.Hash)
				calls = append(calls, asked)
			}
			adds = append(adds, func() error { return n.addDetails(ctx, b, wanted, known, whole, asked) })
		}
		if err := n.Do(ctx, calls...); err != nil {
			return err
		}
		for _, add := range adds {
			if err := add(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDetails sets the wanted transactions of a block, given the answer for the whole block and
// its receipts, or else the first answer for them, if any.
func (n *Node) addDetails(ctx context.Context, b *evm.Block, wanted map[evm.Hash]bool, receipts []wire.Receipt, whole, asked *endpoint.Call) error {
	h, err := n.headerOf(whole)
	if err == nil && h.Hash != b.Header.Hash {
		err = rpcerror.Inconsistent("%s: got block %s, want block %s", n.Name, h.Hash, b.Header.Hash)
	}
	if err == nil {
		err = n.dropUnlisted(ctx, h, wanted)
	}
	if err == nil && receipts == nil && len(wanted) > 0 {
		var found *blockReceipts
		if found, err = n.receipts(ctx, h, asked); err == nil {
			receipts = found.list
		}
	}
	if err != nil {
		return err
	}
	// Details are stored by the place of their transaction.
	wire.NumberTransactions(b.Logs, h.txs)
	b.Transactions, err = wire.Details(h.object, receipts, func(hash evm.Hash) bool { return wanted[hash] })
	if got := len(b.Transactions); err == nil && got != len(wanted) {
		err = fmt.Errorf("%d of %d transactions with logs", got, len(wanted))
	}
	if err != nil {
		err = rpcerror.Inconsistent("%s: transactions of block %d: %w", n.Name, b.Header.Number, err)
	}
	return err
}

// dropUnlisted removes the wanted transactions that the block does not list: those of the
// system, on some chains. Two answers must leave them out, so that none loses details alone.
func (n *Node) dropUnlisted(ctx context.Context, h *Header, wanted map[evm.Hash]bool) error {
	unlisted := maps.Clone(wanted)
	listed := func(h *Header) bool {
		for _, tx := range h.txs {
			delete(unlisted, tx.Hash)
		}
		return h.txs == nil || len(unlisted) == 0
	}
	if listed(h) {
		return nil
	}
	again, err := n.HeaderAt(ctx, h.Number)
	if err != nil || listed(again) {
		return err
	}
	if again.Hash != h.Hash {
		return rpcerror.Branches("%s: block %d is %s, then %s", n.Name, h.Number, h.Hash, again.Hash)
	}
	maps.DeleteFunc(wanted, func(hash evm.Hash, _ bool) bool { return unlisted[hash] })
	return nil
}
