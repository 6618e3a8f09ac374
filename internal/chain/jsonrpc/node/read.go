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
func (n *Node) Span(ctx context.Context, from, to uint64) (Span, error) {
	return n.withTransactions(ctx, from, to, n.readSpan)
}

// Full returns a range that is read block by block, see [jsonrpc.Client.Full].
func (n *Node) Full(ctx context.Context, from, to uint64) (Span, error) {
	return n.withTransactions(ctx, from, to, n.readFull)
}

func (n *Node) withTransactions(ctx context.Context, from, to uint64, read spanReader) (Span, error) {
	span, err := available(ctx, n, from, to, read, read)
	if err == nil {
		err = n.addTransactions(ctx, span.Blocks, span.receipts)
	}
	return span, err
}

// Available is [Node.Headers] that fails with a [rpcerror.PrunedError] below the first block of
// the node.
func (n *Node) Available(ctx context.Context, from, to uint64) ([]*Header, error) {
	return available(ctx, n, from, to, n.Headers, n.readSpan)
}

// Proven returns a block with all its logs, selected or not, proven complete, see
// [jsonrpc.Client.Proven].
func (n *Node) Proven(ctx context.Context, number uint64) (evm.Block, error) {
	h, err := n.HeaderAt(ctx, number)
	if err != nil {
		return evm.Block{}, err
	}
	if err := n.prove(h); err != nil {
		decided, failed := n.acceptUnprovable(ctx, err, h, h)
		if failed != nil {
			return evm.Block{}, failed
		}
		if decided && !errors.Is(err, rpcerror.ErrNotProvable) {
			err = fmt.Errorf("%w: %s: %s", rpcerror.ErrNotProvable, n.Name, settings.ReasonHash)
		}
		return evm.Block{}, err
	}
	n.chain.proved.Store(true)
	receipts, err := n.receipts(ctx, h, nil)
	if err == nil {
		err = receipts.unproved
	}
	if err != nil {
		return evm.Block{}, err
	}
	logs, err := receipts.logs(ctx)
	if err == nil && !h.hasNoBloom() && wire.Bloom(logs) != *h.bloom {
		err = fmt.Errorf("%w: %s: the bloom filter does not match the logs", rpcerror.ErrMismatch, n.Name)
	}
	blocks := []evm.Block{{Header: h.Header, Logs: logs}}
	if err == nil {
		err = n.addTransactions(ctx, blocks, map[evm.Hash][]wire.Receipt{h.Hash: receipts.list})
	}
	return blocks[0], err
}

// maxFullSpan is the most blocks in a span that is read from receipts.
const maxFullSpan = 128

// readSpan reads a range from one endpoint with eth_getLogs, or from receipts if an answer
// for it was wrong: another attempt with eth_getLogs would choose other samples, and sooner
// or later miss what is wrong.
func (n *Node) readSpan(ctx context.Context, from, to uint64) (Span, error) {
	full, to := n.needsFull(from, to)
	if !full {
		var span Span
		err := n.checkFilter(ctx, evm.Range{From: from, To: to}, n.readSpan)
		if err == nil {
			span, err = n.spanFromLogs(ctx, from, to)
		}
		if err == nil {
			span.node = n
			n.mu.Lock()
			n.fromLogs = evm.Range{From: span.From, To: span.To}.Join(n.fromLogs)
			n.mu.Unlock()
		}
		if !rpcerror.IsWrongLogs(err) {
			return span, err
		}
		if err := n.distrust(ctx, err); err != nil {
			return Span{}, err
		}
		_, to = n.needsFull(from, to)
	}
	to = min(to, from+maxFullSpan-1)
	span, err := n.readFull(ctx, from, to)
	if errors.Is(err, rpcerror.ErrNoBlock) {
		last, err := n.lastAt(ctx, to)
		if err != nil {
			return Span{}, err
		}
		return Span{From: from, To: to, Last: last.Header, node: n}, nil
	}
	span.node = n
	span.Blocks = slices.DeleteFunc(span.Blocks, func(b evm.Block) bool { return len(b.Logs) == 0 })
	return span, err
}

// CompareHeaders checks that a span of selected contracts has logs in each block whose
// header allows some. The bloom filters of other spans allow some in nearly every block.
func (s *Span) CompareHeaders(ctx context.Context, headers []*Header) error {
	n := s.node
	if len(n.chain.filter.Contracts) == 0 || s.Proven || n.o.Samples < 0 {
		return nil
	}
	var suspect []*Header
	for _, h := range headers {
		if h.Number < s.From || h.Number > s.To || h.bloom == nil || !n.chain.filter.MayHold(h.bloom) {
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
		if err := cmp.Or(n.Do(ctx, calls...), endpoint.FirstTransient(calls)); err != nil {
			return err
		}
		for i, h := range part {
			all, err := n.logsOf(ctx, h, calls[i])
			if err == nil {
				err = s.compareBlock(h, all)
			}
			if wrong, ok := errors.AsType[*rpcerror.LogsError](err); ok {
				wrong.Range = evm.Range{From: s.From, To: s.To}
			}
			if rpcerror.IsWrongLogs(err) {
				return cmp.Or(n.distrust(ctx, err), err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
