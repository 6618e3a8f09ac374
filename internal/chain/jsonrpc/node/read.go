package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Span returns the beginning of a range, with the transactions of its blocks, see
// [jsonrpc.Client.Span].
func (e *Node) Span(ctx context.Context, from, to uint64) (Span, error) {
	return e.withTransactions(ctx, from, to, e.readSpan)
}

// Full returns a range that is read block by block, see [jsonrpc.Client.Full].
func (e *Node) Full(ctx context.Context, from, to uint64) (Span, error) {
	return e.withTransactions(ctx, from, to, e.fullFrom)
}

func (e *Node) withTransactions(ctx context.Context, from, to uint64, read spanReader) (Span, error) {
	span, err := available(ctx, e, from, to, read, read)
	if err == nil {
		err = e.addTransactions(ctx, span.Blocks, span.receipts)
	}
	return span, err
}

// Headers returns the headers of a range, each the parent of the next. It leaves out heights
// without a block.
func (e *Node) Headers(ctx context.Context, from, to uint64) ([]*Header, error) {
	return e.headers(ctx, from, to)
}

// Available is [Node.Headers] that fails with a [rpcerror.PrunedError] below the first block of
// the node.
func (e *Node) Available(ctx context.Context, from, to uint64) ([]*Header, error) {
	return available(ctx, e, from, to, e.headers, e.readSpan)
}

// Proven returns a block with all its logs, selected or not, proven complete, see
// [jsonrpc.Client.Proven].
func (e *Node) Proven(ctx context.Context, number uint64) (evm.Block, error) {
	h, err := e.HeaderAt(ctx, number)
	if err != nil {
		return evm.Block{}, err
	}
	if err := e.prove(h); err != nil {
		decided, failed := e.unprovable(ctx, err, h, h)
		if failed != nil {
			return evm.Block{}, failed
		}
		if decided && !errors.Is(err, rpcerror.ErrNotProvable) {
			err = fmt.Errorf("%w: %s: %s", rpcerror.ErrNotProvable, e.Name, settings.ReasonHash)
		}
		return evm.Block{}, err
	}
	e.chain.isProvable()
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
		err = e.addTransactions(ctx, blocks, map[evm.Hash][]wire.Receipt{h.Hash: receipts.list})
	}
	return blocks[0], err
}

// fullSpan is the most blocks in a span that is read from receipts.
const fullSpan = 128

// readSpan reads a range from one endpoint with eth_getLogs, or from receipts if an answer
// for it was wrong: another attempt with eth_getLogs would choose other samples, and sooner
// or later miss what is wrong.
func (e *Node) readSpan(ctx context.Context, from, to uint64) (Span, error) {
	full, to := e.needsFull(from, to)
	if !full {
		var span Span
		err := e.checkFilter(ctx, evm.Range{From: from, To: to}, e.readSpan)
		if err == nil {
			span, err = e.spanOf(ctx, from, to)
		}
		if err == nil {
			span.node = e
			e.mu.Lock()
			e.fromLogs = evm.Range{From: span.From, To: span.To}.Join(e.fromLogs)
			e.mu.Unlock()
		}
		if !rpcerror.IsWrongLogs(err) {
			return span, err
		}
		if err := e.distrust(ctx, err); err != nil {
			return Span{}, err
		}
		_, to = e.needsFull(from, to)
	}
	to = min(to, from+fullSpan-1)
	span, err := e.fullFrom(ctx, from, to)
	if errors.Is(err, rpcerror.ErrNoBlock) {
		last, err := e.lastAt(ctx, to)
		if err != nil {
			return Span{}, err
		}
		return Span{From: from, To: to, Last: last.Header, node: e}, nil
	}
	span.node = e
	span.Blocks = slices.DeleteFunc(span.Blocks, func(b evm.Block) bool { return len(b.Logs) == 0 })
	return span, err
}

// CompareHeaders checks that a span of selected contracts has logs in each block whose
// header allows some. The bloom filters of other spans allow some in nearly every block.
func (s *Span) CompareHeaders(ctx context.Context, headers []*Header) error {
	e := s.node
	if len(e.chain.filter.Contracts) == 0 || s.Proven || e.o.Samples < 0 {
		return nil
	}
	var suspect []*Header
	for _, h := range headers {
		if h.Number < s.From || h.Number > s.To || h.bloom == nil || !e.chain.filter.MayHold(h.bloom) {
			continue
		}
		if _, logs := s.At(h.Number); len(logs) == 0 {
			suspect = append(suspect, h)
		}
	}
	for part := range slices.Chunk(suspect, firstReceiptsBatch) {
		var calls []*endpoint.Call
		for _, h := range part {
			calls = append(calls, logsByHash(h))
		}
		if err := cmp.Or(e.Do(ctx, calls...), endpoint.FirstTransient(calls)); err != nil {
			return err
		}
		for i, h := range part {
			all, err := e.logsOf(ctx, h, calls[i])
			if err == nil {
				err = s.compareBlock(h, all)
			}
			if wrong, ok := errors.AsType[*rpcerror.LogsError](err); ok {
				wrong.Range = evm.Range{From: s.From, To: s.To}
			}
			if rpcerror.IsWrongLogs(err) {
				return cmp.Or(e.distrust(ctx, err), err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
