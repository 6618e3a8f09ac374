package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/evm"
)

// Span is the result for a range of blocks, from one endpoint at one time.
type Span = node.Span

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
	headers, err := tryRange(ctx, c, "headers", from, to, (*node.Node).Available)
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
			i, found := slices.BinarySearchFunc(headers, b.Header.Number, func(h *node.Header, n uint64) int { return cmp.Compare(h.Number, n) })
			if !found || headers[i].Hash != b.Header.Hash {
				return fmt.Errorf("reading blocks [%d, %d]: %w", from, to,
					rpcerror.Branches("block %d has the hash %s in the logs and another in the headers", b.Header.Number, b.Header.Hash))
			}
			blocks[i].Logs = append(blocks[i].Logs, b.Logs...)
			blocks[i].Transactions = append(blocks[i].Transactions, b.Transactions...)
		}
		return span.CompareHeaders(ctx, headers)
	})
	return blocks, proven, err
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

// Span returns the beginning of the range from from to to: at least block from, at most
// up to to. The range must be final. Its size adapts to the limits of the endpoint:
// smaller after an error, slowly larger after results. A block that is too large by
// itself is read from its receipts.
//
// The selected logs are Transfer events with four topics, and TransferSingle,
// TransferBatch, ConsecutiveTransfer, URI, MetadataUpdate and BatchMetadataUpdate
// events with any number of topics; see also [Options].
//
// Every log must lie in the range and agree with the other logs and with the headers of
// the first and the last block, which are requested in the same batch. (A server without
// batches may answer from two states, which goes unnoticed.) Blocks chosen at random are
// compared with all their logs ([Options.Samples]), and so are those at which a list may
// have been cut. That exposes nodes that often leave logs out; only [Client.Proven] exposes
// every missing log. If anything in the answer is wrong, the range is read as by
// [Client.Full], now and whenever it is requested again, and so are all ranges of the
// endpoint from then on.
func (c *Client) Span(ctx context.Context, from, to uint64) (Span, error) {
	return tryRange(ctx, c, "logs", from, to, (*node.Node).Span)
}

// Full is [Client.Blocks] without ranges of logs: it reads each block that may contain a
// selected log. A header whose hash is the hash of its fields commits to its bloom filter
// and its receipts root. So a block has no selected log if its filter allows none, and
// receipts with another root are inconsistent. The range is proven if all of its blocks are.
// Heights without a block are left out.
//
// If headers or receipts do not have Ethereum's form, the range cannot be proven; then
// logs that agree with the bloom filter or with the receipts are accepted. Once a block
// of the chain was proved, a header without a proof is accepted only if another
// endpoint has the same one, or if [Options.AcceptUnprovable] is set.
func (c *Client) Full(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	span, err := tryRange(ctx, c, "blocks", from, to, (*node.Node).Full)
	return span.Blocks, span.Proven, err
}

// Headers returns the headers of the blocks from from to to, both included, all from
// one endpoint; each is the parent of the next. It fails with [rpcerror.ErrLagging] if the
// chain ends before to.
func (c *Client) Headers(ctx context.Context, from, to uint64) (headers []evm.Header, err error) {
	found, err := tryRange(ctx, c, "headers", from, to, (*node.Node).Headers)
	for _, h := range found {
		headers = append(headers, h.Header)
	}
	return headers, err
}

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
	err = c.try(ctx, fmt.Sprintf("proving block %d", number), func(e *member) error {
		block, err = e.Proven(ctx, number)
		return err
	})
	return block, err
}

// Proof returns what the hash of a block covers, for clients who trust no node: by its hash or, if
// that is zero, by its number. It asks for the header and its receipts in one batch. The header is proved as
// by [Client.Proven], and so are the receipts, unless its bloom filter, or the root of no receipts,
// excludes every mint and burn, whatever [Options] select.
//
// It fails with [rpcerror.ErrNotProvable] and the reason if the header or the receipts do not have
// Ethereum's form, or if the header has a seal as on Polygon, where logs may lie outside of its receipts
// root. The header is set also with an error, once a node has returned it.
func (c *Client) Proof(ctx context.Context, block evm.BlockRef) (proof evm.BlockProof, err error) {
	ctx = c.slots.Holding(ctx)
	defer slot.Of(ctx).Release()
	err = c.try(ctx, fmt.Sprintf("proving block %d", block.Number), func(e *member) error {
		found, err := e.Proof(ctx, block)
		if err == nil || !found.Block.Hash.IsZero() {
			proof = found
		}
		return err
	})
	return proof, err
}

// Call calls contracts at the latest block and returns one result per call, in
// order. The results may come from different blocks. A call that reverts, fails in
// the EVM, or fails while the endpoint answers other calls has a result with a
// Problem. If Call returns an error, it returns no results.
func (c *Client) Call(ctx context.Context, calls []evm.Call) (results []evm.CallResult, err error) {
	if len(calls) == 0 {
		return []evm.CallResult{}, nil
	}
	err = c.try(ctx, fmt.Sprintf("calling %d contracts", len(calls)), func(e *member) error {
		results, err = e.CallContracts(ctx, calls)
		return err
	})
	return results, err
}

// Doubtful returns, in order, the ranges that were read with eth_getLogs from endpoints
// that were later caught leaving logs out.
func (c *Client) Doubtful() (ranges []evm.Range) {
	for _, e := range c.endpoints {
		for _, r := range e.Doubtful() {
			ranges = r.Join(ranges)
		}
	}
	return ranges
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
