package jsonrpc

import (
	"context"
	"errors"

	"mintburn/internal/evm"
)

// Full is [Client.Blocks] that reads each block which may hold a selected log from
// its receipts, so that nothing depends on eth_getLogs. Where a header's hash is that
// of its fields, it commits to its bloom filter and its receipts root: a block whose
// filter allows no selected log has none, and receipts of another root are
// inconsistent. The range is proven when all of its blocks are.
//
// A chain whose headers or receipts have another form than Ethereum's cannot be
// proven: there, logs that agree with the bloom filter or with the receipts are
// enough. Once a block of the chain was proved, another endpoint must have the same
// header, or [Options.Unprovable] must be set.
func (c *Client) Full(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	span, err := tryRange(ctx, c, "blocks", from, to, c.fullFrom)
	return span.Blocks, span.Proven, err
}

// fullFrom reads a range from one endpoint; twice if the endpoint leaves out logs,
// which are then read from receipts alone.
func (c *Client) fullFrom(ctx context.Context, e *endpoint, from, to uint64) (Span, error) {
	span, err := c.fullOnce(ctx, e, from, to)
	if caught, err := c.catch(ctx, e, err); !caught {
		return span, err
	}
	return c.fullOnce(ctx, e, from, to)
}

func (c *Client) fullOnce(ctx context.Context, e *endpoint, from, to uint64) (Span, error) {
	headers, err := e.headers(ctx, from, to)
	if err != nil {
		return Span{}, err
	}
	e.sawHead(to)
	if err := c.checkProvable(ctx, e, headers); err != nil {
		return Span{}, err
	}
	f := full{c: c, e: e, headers: headers, blocks: make([]evm.Block, len(headers)), proven: true}
	for i, h := range headers {
		f.blocks[i].Header = h.Header
		f.proven = f.proven && h.ethereum != nil
		// Some chains keep no filters: there it is empty, whatever the block has.
		kept := h.ethereum != nil && h.bloom != nil || !h.hasNoBloom()
		if !kept || c.filter.mayHold(h.bloom) {
			f.missing = append(f.missing, i)
		}
	}
	if err := f.read(ctx); err != nil {
		return Span{}, err
	}
	return Span{From: from, To: to, Last: f.blocks[len(f.blocks)-1].Header, Blocks: f.blocks, Proven: f.proven}, nil
}

// checkProvable notes which headers are provable. It fails where some are not that
// should be, see [Client.unprovable].
func (c *Client) checkProvable(ctx context.Context, e *endpoint, headers []*blockHeader) error {
	for len(headers) > 0 {
		cause, n := e.prove(headers[0]), 1
		for cause != nil && n < len(headers) && e.prove(headers[n]) != nil {
			n++
		}
		// The header after those that are not provable is.
		if cause == nil || n < len(headers) {
			c.isProvable()
		}
		if cause != nil {
			if _, err := c.unprovable(ctx, e, cause, headers[0], headers[n-1]); err != nil {
				return err
			}
		}
		for _, h := range headers[:n] {
			h.object = nil
		}
		headers = headers[n:]
	}
	return nil
}

// full is a range of blocks that is being read from one endpoint.
type full struct {
	c       *Client
	e       *endpoint
	headers []*blockHeader
	blocks  []evm.Block
	// missing are the places of the blocks whose logs are still to be read.
	missing []int
	proven  bool
}

// read reads what is missing.
func (f *full) read(ctx context.Context) error {
	for len(f.missing) > 0 {
		n := 1
		var err error
		if i := f.missing[0]; f.headers[i].ethereum == nil || get(f.e, &f.e.noBlockReceipts) {
			err = f.single(ctx, i)
		} else {
			n, err = f.batch(ctx)
		}
		if err != nil {
			return err
		}
		f.missing = f.missing[n:]
	}
	return nil
}

// single reads one block without a proof.
func (f *full) single(ctx context.Context, i int) error {
	logs, err := f.e.blockLogs(ctx, f.headers[i])
	if err != nil {
		return err
	}
	f.blocks[i].Logs, f.proven = f.c.filter.pick(logs), false
	return nil
}

// receiptsBytes is the size that a batch of receipts should have: large enough to
// make a request cheap, far below the limits of servers.
const receiptsBytes = 2 << 20

// batch reads the receipts of several blocks at once, and returns of how many.
func (f *full) batch(ctx context.Context) (n int, err error) {
	most := max(1, get(f.e, &f.e.receiptsBatch))
	var calls []*call
	for _, i := range f.missing {
		if len(calls) == most || f.headers[i].ethereum == nil {
			break
		}
		calls = append(calls, receiptsOf(f.headers[i].Hash))
	}
	err = f.e.do(ctx, calls...)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if k := kindOf(err); len(calls) > 1 && (k == kindSize || k == kindSlow) {
		f.e.setReceiptsBatch(len(calls) / 2)
		return 0, nil
	} else if err != nil && k != kindSize {
		return 0, err
	}
	size := 0
	for j, asked := range calls {
		if err := f.receipts(ctx, f.missing[j], asked, err); err != nil {
			return 0, err
		}
		size += len(asked.result)
		asked.result = nil
	}
	f.e.setReceiptsBatch(min(len(calls)*receiptsBytes/max(size, 1), 2*len(calls)))
	return len(calls), nil
}

// receipts reads block i from its receipts, which were requested in a batch; failed
// is the batch's error.
func (f *full) receipts(ctx context.Context, i int, asked *call, failed error) (err error) {
	h := f.headers[i]
	b := &blockReceipts{e: f.e, h: h}
	if failed == nil && asked.err == nil && !asked.null() {
		err = b.parse(asked)
	} else if k := kindOf(asked.err); k == kindRate || k == kindTemporary {
		return asked.err
	} else {
		// Another call for them may succeed.
		b, err = f.e.receipts(ctx, h)
	}
	switch {
	case err == nil:
		return f.take(ctx, i, b)
	case kindOf(err) == kindSize:
		return f.single(ctx, i)
	default:
		return err
	}
}

// take takes the logs from the receipts of a block whose header commits to their
// root.
func (f *full) take(ctx context.Context, i int, b *blockReceipts) error {
	logs, err := b.logs(ctx)
	if err != nil {
		return err
	}
	switch err := b.prove(); {
	case err == nil:
		f.blocks[i].Logs = f.c.filter.pick(logs)
		return nil
	case errors.Is(err, ErrNotProvable):
		// Another form than Ethereum's: the node must return the same logs twice.
		return f.single(ctx, i)
	default:
		return inconsistent("%w", err)
	}
}

func (e *endpoint) setReceiptsBatch(n int) {
	e.locked(func() { e.receiptsBatch = min(max(n, 1), e.batch) })
}
