package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// mostFilterBlocks is the number of blocks below the head among which [Client.checkFilter]
// looks for one with an ERC-721 event.
const mostFilterBlocks = 256

// checkFilter checks once, before an endpoint's first range r, that the endpoint has the logs
// of the first block: it may have pruned them without a word. It also compares the answer to
// a filter with the newest proved block that has an ERC-721 event: some nodes return nothing
// for null topics. If that is wrong, it fails with a [rpcerror.LogsError] for r. If no block near
// the head has such an event, or the endpoint can't prove one, it succeeds.
func (c *Client) checkFilter(ctx context.Context, e *node, r evm.Range) error {
	if headKnown := get(e, &e.lastFinalized).Hash != (evm.Hash{}); c.o.Samples < 0 || !headKnown || get(e, &e.filterKnown) {
		return nil
	}
	set(e, &e.filterKnown, true)
	if err := c.checkTopics(ctx, e, r); err != nil || !get(e, &e.filterKnown) {
		return err
	}
	given, err := c.gives(ctx, e, r.From, c.spanOrFull)
	if err == nil && !given {
		err = fmt.Errorf("%s: logs of block %d: %w", e.Name, r.From, rpcerror.ErrGone)
	}
	return err
}

// checkTopics compares the answer to a filter with a proved block, see [Client.checkFilter].
func (c *Client) checkTopics(ctx context.Context, e *node, r evm.Range) error {
	head := get(e, &e.highest)
	for size, to := uint64(receiptsBatch), head; to > 0 && head-to < mostFilterBlocks; size *= 2 {
		from := to - min(to, size-1)
		span, err := c.fullOnce(ctx, e, from, to)
		if err != nil {
			return e.filterUnknown(ctx, err)
		}
		for _, b := range slices.Backward(span.Blocks) {
			if slices.ContainsFunc(b.Logs, func(log evm.Log) bool { return len(log.Topics) == maxTopics }) {
				return c.compareFilter(ctx, e, b, r)
			}
		}
		to = from - min(from, 1)
	}
	return nil
}

// filterUnknown has the filter checked again after an error, unless that would come again.
// After a limit, a lost connection or a reorg, another attempt may succeed.
func (e *node) filterUnknown(ctx context.Context, err error) error {
	set(e, &e.filterKnown, rpcerror.IsNoData(err) && !errors.Is(err, rpcerror.ErrLagging) && !errors.Is(err, rpcerror.ErrBranches))
	return ctx.Err()
}

// maxTopics is the number of topics of an ERC-721 event.
const maxTopics = 4

// compareFilter compares the answer for a block with its logs.
func (c *Client) compareFilter(ctx context.Context, e *node, b evm.Block, r evm.Range) error {
	number := b.Header.Number
	filters := c.filter.calls(number, number, get(e, &e.addresses))
	if err := e.Ask(ctx, filters...); err != nil {
		return e.filterUnknown(ctx, err)
	}
	var all []foundLog
	for _, answer := range filters {
		logs, err := e.parseLogs(answer.Result)
		if err != nil {
			return nil
		}
		all = append(all, logs...)
	}
	blocks, err := group(slices.DeleteFunc(all, func(log foundLog) bool { return !c.filter.Selects(&log.Log) }), true)
	if err != nil || len(blocks) > 0 && blocks[0].ref != b.Header.BlockRef {
		return nil
	}
	var logs []evm.Log
	if len(blocks) > 0 {
		logs = blocks[0].logs
	}
	return e.compareLogs(&Span{From: r.From, To: r.To}, number, wire.Unnumbered(logs), wire.Unnumbered(b.Logs))
}
