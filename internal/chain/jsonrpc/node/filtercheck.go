package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// maxFilterBlocks is the number of blocks below the head among which [Node.checkFilter]
// looks for one with an ERC-721 event.
const maxFilterBlocks = 256

// checkFilter checks once, before an endpoint's first range r, that the endpoint has the logs
// of the first block: it may have pruned them without a word. It also compares the answer to
// a filter with the newest proved block that has an ERC-721 event: some nodes return nothing
// for null topics. If that is wrong, it fails with a [rpcerror.LogsError] for r. If no block near
// the head has such an event, or the endpoint can't prove one, it succeeds.
func (n *Node) checkFilter(ctx context.Context, r evm.Range, probe spanReader) error {
	if headKnown := n.Finalized().Hash != (evm.Hash{}); n.o.Samples < 0 || !headKnown || n.filterChecked.Load() {
		return nil
	}
	n.filterChecked.Store(true)
	if err := n.checkTopics(ctx, r); err != nil || !n.filterChecked.Load() {
		return err
	}
	given, err := n.hasBlock(ctx, r.From, probe)
	if err == nil && !given {
		err = fmt.Errorf("%s: logs of block %d: %w", n.Name, r.From, rpcerror.ErrGone)
	}
	return err
}

// checkTopics compares the answer to a filter with a proved block, see [Node.checkFilter].
func (n *Node) checkTopics(ctx context.Context, r evm.Range) error {
	head := n.highest.Load()
	for size, to := uint64(firstReceiptsBatch), head; to > 0 && head-to < maxFilterBlocks; size *= 2 {
		from := to - min(to, size-1)
		span, err := n.readBlocks(ctx, from, to)
		if err != nil {
			return n.recheckFilter(ctx, err)
		}
		for _, b := range slices.Backward(span.Blocks) {
			if slices.ContainsFunc(b.Logs, func(log evm.Log) bool { return len(log.Topics) == maxTopics }) {
				return n.compareFilter(ctx, b, r)
			}
		}
		to = from - min(from, 1)
	}
	return nil
}

// recheckFilter has the filter checked again after an error, unless that would come again.
// After a limit, a lost connection or a reorg, another attempt may succeed.
func (n *Node) recheckFilter(ctx context.Context, err error) error {
	n.filterChecked.Store(rpcerror.IsNoData(err) && !errors.Is(err, rpcerror.ErrLagging) && !errors.Is(err, rpcerror.ErrBranches))
	return ctx.Err()
}

// maxTopics is the number of topics of an ERC-721 event.
const maxTopics = 4

// compareFilter compares the answer for a block with its logs.
func (n *Node) compareFilter(ctx context.Context, b evm.Block, r evm.Range) error {
	number := b.Header.Number
	_, addresses := n.pace.Next()
	filters := n.chain.filter.calls(number, number, addresses)
	if err := n.Ask(ctx, filters...); err != nil {
		return n.recheckFilter(ctx, err)
	}
	var all []foundLog
	for _, answer := range filters {
		logs, err := n.parseLogs(answer.Result)
		if err != nil {
			return nil
		}
		all = append(all, logs...)
	}
	blocks, err := groupByBlock(slices.DeleteFunc(all, func(log foundLog) bool { return !n.chain.filter.Selects(&log.Log) }), true)
	if err != nil || len(blocks) > 0 && blocks[0].ref != b.Header.BlockRef {
		return nil
	}
	var logs []evm.Log
	if len(blocks) > 0 {
		logs = blocks[0].logs
	}
	return (&Span{From: r.From, To: r.To, node: n}).compareLogs(number, wire.Unnumbered(logs), wire.Unnumbered(b.Logs))
}
