package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"mintburn/internal/evm"
)

// Whole is as [Client.Blocks], and reads each block that may hold a wanted log
// from its receipts, so that it does not matter what the node leaves out of
// eth_getLogs. Where a header's hash is that of its fields, it commits to its
// bloom filter and its receipts root: a block whose filter allows no
// wanted log has none, and receipts of another root are inconsistent. The range
// is proven when all of its blocks are so.
//
// A chain whose headers or receipts have another form than Ethereum's cannot
// be proven: there, logs that agree with the bloom filter or with the receipts
// are enough. Once a block of the chain was proved, another endpoint must have the
// same header, or [ClientOptions.Unprovable] say so.
func (c *Client) Whole(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	if from > to || to > MaxBlockNumber {
		return nil, false, fmt.Errorf("asking for blocks [%d, %d]: not a range", from, to)
	}
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		blocks, proven, err = c.wholeOf(ctx, e, from, to)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("asking for blocks [%d, %d]: %w", from, to, err)
	}
	return blocks, proven, nil
}

// wholeOf reads a range from one endpoint; twice if the endpoint is caught leaving
// out logs, which are then taken from receipts alone.
func (c *Client) wholeOf(ctx context.Context, e *endpoint, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	blocks, proven, err = c.wholeOnce(ctx, e, from, to)
	var found *leftOutError
	if !errors.As(err, &found) {
		return blocks, proven, err
	}
	if err := c.catch(ctx, e, found); err != nil {
		return nil, false, err
	}
	return c.wholeOnce(ctx, e, from, to)
}

func (c *Client) wholeOnce(ctx context.Context, e *endpoint, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	headers, err := e.headers(ctx, from, to)
	if err != nil {
		return nil, false, err
	}
	e.sawHead(to)
	w := whole{c: c, e: e, blocks: make([]evm.Block, len(headers)), proven: true}
	if err := c.checkProvable(ctx, e, headers); err != nil {
		return nil, false, err
	}
	for i, h := range headers {
		w.blocks[i].Header = h.Header
		w.proven = w.proven && h.receiptsRoot != nil
		// Some chains keep no filters: there it is empty, whatever the block has.
		if h.hasBloom && (h.receiptsRoot != nil || h.bloom != bloom{}) && !c.wanted.mayHold(&h.bloom) {
			continue
		}
		w.wanting = append(w.wanting, i)
	}
	err = w.read(ctx, headers)
	return w.blocks, w.proven, err
}

// checkProvable notes which headers are provable. It fails where some are not that
// should be, see [Client.unprovable].
func (c *Client) checkProvable(ctx context.Context, e *endpoint, headers []*liveHeader) error {
	var first, last *liveHeader
	var cause error
	flush := func() error {
		if first == nil {
			return nil
		}
		_, err := c.unprovable(ctx, e, cause, first, last)
		first.raw, last.raw, first = nil, nil, nil
		return err
	}
	for _, h := range headers {
		header, err := e.provenHeader(h)
		if err == nil {
			c.isProvable()
			root := evm.Hash(header.ReceiptHash)
			h.receiptsRoot, h.raw = &root, nil // it is large, and not needed again
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		if first == nil {
			first, cause = h, err
		} else if last != first {
			last.raw = nil
		}
		last = h
	}
	return flush()
}

// whole is a range of blocks while it is read from one endpoint.
type whole struct {
	c      *Client
	e      *endpoint
	blocks []evm.Block
	// wanting are the places of the blocks whose logs are still to be read.
	wanting []int
	proven  bool
}

// read reads what is wanting.
func (w *whole) read(ctx context.Context, headers []*liveHeader) error {
	for len(w.wanting) > 0 {
		n := 1
		var err error
		if i := w.wanting[0]; headers[i].receiptsRoot == nil || w.e.flag(&w.e.noBlockReceipts) {
			err = w.single(ctx, i, headers[i])
		} else {
			n, err = w.batch(ctx, headers)
		}
		if err != nil {
			return err
		}
		w.wanting = w.wanting[n:]
	}
	return nil
}

// single reads one block without a proof.
func (w *whole) single(ctx context.Context, i int, h *liveHeader) error {
	logs, err := w.e.wholeBlock(ctx, h)
	if err != nil {
		return err
	}
	w.blocks[i].Logs, w.proven = w.c.wanted.pick(logs), false
	return nil
}

// receiptsBytes is how large a batch of receipts should be: large enough to
// make a request cheap, far below what servers refuse.
const receiptsBytes = 2 << 20

// batch reads the receipts of several blocks at once, and returns of how many.
func (w *whole) batch(ctx context.Context, headers []*liveHeader) (n int, err error) {
	w.e.mu.Lock()
	most := max(1, w.e.receiptsBatch)
	w.e.mu.Unlock()
	var calls []*call
	for _, i := range w.wanting {
		if len(calls) == most || headers[i].receiptsRoot == nil {
			break
		}
		calls = append(calls, &call{method: "eth_getBlockReceipts", args: []any{headers[i].Hash}})
	}
	err = w.e.do(ctx, calls...)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if k := refusalOf(err).kind; len(calls) > 1 && (k == kindSize || k == kindSlow) {
		w.e.setReceiptsBatch(len(calls) / 2)
		return 0, nil
	} else if err != nil && k != kindSize {
		return 0, err
	}
	size := 0
	for j, asked := range calls {
		h := headers[w.wanting[j]]
		b := &blockReceipts{e: w.e, h: h}
		if err != nil || asked.err != nil || asked.null() {
			// Another way of asking for them may do.
			if k := refusalOf(asked.err).kind; k == kindRate || k == kindTemporary {
				return 0, asked.err
			}
			b, err = w.e.receipts(ctx, h)
		} else {
			err = b.parse(asked)
		}
		switch {
		case err == nil:
			err = w.take(ctx, w.wanting[j], b)
		case refusalOf(err).kind == kindSize:
			err = w.single(ctx, w.wanting[j], h)
		}
		if err != nil {
			return 0, err
		}
		size += len(asked.result)
		asked.result = nil
	}
	w.e.setReceiptsBatch(min(len(calls)*receiptsBytes/max(size, 1), 2*len(calls)))
	return len(calls), nil
}

// take takes the logs from the receipts of a block whose header commits to
// their root.
func (w *whole) take(ctx context.Context, i int, b *blockReceipts) error {
	logs, err := b.logs(ctx)
	if err != nil {
		return err
	}
	switch err := b.prove([32]byte(*b.h.receiptsRoot)); {
	case errors.Is(err, ErrNotProvable), err != nil && hasSystemReceipt(b.list, [32]byte(*b.h.receiptsRoot)):
		// Another form than Ethereum's: the node must at least say the same twice.
		return w.single(ctx, i, b.h)
	case err != nil:
		return inconsistent("%w", err)
	}
	w.blocks[i].Logs = w.c.wanted.pick(logs)
	return nil
}

// hasSystemReceipt reports whether the last receipt is of a transaction that the
// node adds to the block (Polygon's state sync), which the root does not
// cover: the root is that of the receipts before it.
func hasSystemReceipt(list []liveReceipt, root common.Hash) bool {
	if len(list) == 0 {
		return false
	}
	before, _ := rootOf(list[:len(list)-1])
	return before == root
}

func (e *endpoint) setReceiptsBatch(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.receiptsBatch = min(max(n, 1), e.batch)
}
