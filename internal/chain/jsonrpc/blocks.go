package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// Blocks returns the blocks from from to to, both included, each the parent of the
// next, with their selected logs (see [Client.Span]). The blocks need not be final,
// because every log must name the hash of its block in this branch. proven is true if
// every block is proven, which happens only in ranges that an endpoint left logs out
// of.
func (c *Client) Blocks(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	// Headers and logs are requested separately. A reorg or a change of endpoint in
	// between causes a difference.
	for range c.o.Attempts {
		if blocks, proven, err = c.blocksOnce(ctx, from, to); err == nil || !errors.Is(err, rpcerror.ErrInconsistent) {
			break
		}
	}
	return blocks, proven, err
}

func (c *Client) blocksOnce(ctx context.Context, from, to uint64) (_ []evm.Block, proven bool, err error) {
	headers, err := tryRange(ctx, c, "headers", from, to, func(ctx context.Context, e *node, from, to uint64) ([]*blockHeader, error) {
		read := func(ctx context.Context, e *node, from, to uint64) ([]*blockHeader, error) {
			return e.headers(ctx, from, to)
		}
		return available(ctx, c, e, from, to, read, c.spanOrFull)
	})
	if err != nil {
		return nil, false, err
	}
	blocks := make([]evm.Block, len(headers))
	for i, h := range headers {
		blocks[i].Header = h.Header
	}
	proven, err = c.spans(ctx, from, to, func(span *Span) error {
		// Compare the last block too: if the logs were read on another branch, blocks
		// without logs there may have some in the branch of the headers.
		for _, b := range append(span.Blocks, evm.Block{Header: span.Last}) {
			if b.Header.Number < span.From {
				continue
			}
			i, found := slices.BinarySearchFunc(headers, b.Header.Number, func(h *blockHeader, n uint64) int { return cmp.Compare(h.Number, n) })
			if !found || headers[i].Hash != b.Header.Hash {
				return fmt.Errorf("reading blocks [%d, %d]: %w", from, to,
					rpcerror.Branches("block %d has the hash %s in the logs and another in the headers", b.Header.Number, b.Header.Hash))
			}
			blocks[i].Logs = append(blocks[i].Logs, b.Logs...)
			blocks[i].Transactions = append(blocks[i].Transactions, b.Transactions...)
		}
		return c.compareHeaders(ctx, span, headers)
	})
	return blocks, proven, err
}

// compareHeaders checks that a span of selected contracts has logs in each block whose
// header allows some. The bloom filters of other spans allow some in nearly every block.
func (c *Client) compareHeaders(ctx context.Context, span *Span, headers []*blockHeader) error {
	if len(c.filter.Contracts) == 0 || span.Proven || c.o.Samples < 0 {
		return nil
	}
	e := span.endpoint
	var suspect []*blockHeader
	for _, h := range headers {
		if h.Number < span.From || h.Number > span.To || h.bloom == nil || !c.filter.MayHold(h.bloom) {
			continue
		}
		if _, logs := span.at(h.Number); len(logs) == 0 {
			suspect = append(suspect, h)
		}
	}
	for part := range slices.Chunk(suspect, receiptsBatch) {
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
				err = c.compareBlock(e, span, h, all)
			}
			if caught, ok := errors.AsType[*rpcerror.LogsError](err); ok {
				caught.Range = evm.Range{From: span.From, To: span.To}
			}
			if rpcerror.IsWrongLogs(err) {
				return cmp.Or(c.catch(ctx, e, err), err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Sparse is [Client.Blocks] for final blocks. It returns only the blocks with selected
// logs, whose parent hashes may be zero, and the first and the last block.
func (c *Client) Sparse(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	proven, err = c.spans(ctx, from, to, func(span *Span) error {
		if len(blocks) == 0 && span.First.Hash != (evm.Hash{}) {
			blocks = append(blocks, evm.Block{Header: span.First})
		}
		for _, b := range append(span.Blocks, evm.Block{Header: span.Last}) {
			if b.Header.Number < span.From {
				continue
			}
			last := &blocks[len(blocks)-1]
			switch {
			case last.Header.Number != b.Header.Number:
				blocks = append(blocks, b)
			case last.Header.Hash != b.Header.Hash:
				return rpcerror.Branches("block %d has the hashes %s and %s", b.Header.Number, last.Header.Hash, b.Header.Hash)
			default:
				last.Logs = append(last.Logs, b.Logs...)
				last.Transactions = append(last.Transactions, b.Transactions...)
			}
		}
		return nil
	})
	if err == nil && len(blocks) == 0 {
		err = fmt.Errorf("reading blocks [%d, %d]: %w", from, to, rpcerror.ErrNoBlock)
	}
	return blocks, proven, err
}

// spans calls each with the parts of a range, and reports whether all are proven.
func (c *Client) spans(ctx context.Context, from, to uint64, each func(span *Span) error) (proven bool, err error) {
	for proven = true; from <= to; {
		span, err := c.Span(ctx, from, to)
		if err == nil {
			err = each(&span)
		}
		if err != nil {
			return false, err
		}
		proven, from = proven && span.Proven, span.To+1
	}
	return proven, nil
}
