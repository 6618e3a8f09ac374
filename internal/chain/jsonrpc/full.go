package jsonrpc

import (
	"context"
	"errors"

	"mintburn/internal/evm"
)

// Full is [Client.Blocks] without eth_getLogs: it reads each block that may contain a
// selected log from its receipts. A header whose hash is the hash of its fields commits
// to its bloom filter and its receipts root. So a block has no selected log if its
// filter allows none, and receipts with another root are inconsistent. The range is
// proven if all of its blocks are.
//
// If headers or receipts do not have Ethereum's form, the range cannot be proven; then
// logs that agree with the bloom filter or with the receipts are accepted. Once a block
// of the chain was proved, a header without a proof is accepted only if another
// endpoint has the same one, or if [Options.AcceptUnprovable] is set.
func (c *Client) Full(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error) {
	span, err := tryRange(ctx, c, "blocks", from, to, c.fullFrom)
	return span.Blocks, span.Proven, err
}

// fullFrom reads a range from one endpoint. If the endpoint leaves logs out, it reads
// the range again, from receipts alone.
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
		// On chains that keep no bloom filters, the filter is always empty.
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

// checkProvable records which headers are provable. It fails if a header that is not
// provable is unacceptable, see [Client.unprovable].
func (c *Client) checkProvable(ctx context.Context, e *endpoint, headers []*blockHeader) error {
	for len(headers) > 0 {
		cause, n := e.prove(headers[0]), 1
		for cause != nil && n < len(headers) && e.prove(headers[n]) != nil {
			n++
		}
		// The loop above ended at a provable header.
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
	// missing are the indices of the blocks whose logs were not read yet.
	missing []int
	proven  bool
}

// read fetches the logs of the missing blocks.
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

// receiptsBytes is the target size of a batch of receipts: large enough to keep the
// cost per request low, far below server limits.
const receiptsBytes = 2 << 20

// batch reads the receipts of the next missing blocks in one batch, and returns the
// number of blocks read. It returns 0 if the batch was too large; the next one is
// smaller.
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

// receipts reads block i from asked, a call for its receipts that was sent in a batch;
// failed is the batch's error.
func (f *full) receipts(ctx context.Context, i int, asked *call, failed error) (err error) {
	h := f.headers[i]
	b := &blockReceipts{e: f.e, h: h}
	if failed == nil && asked.err == nil && !asked.null() {
		err = b.parse(asked)
	} else if k := kindOf(asked.err); k == kindRate || k == kindTemporary {
		return asked.err
	} else {
		// A separate call may succeed.
		b, err = f.e.receipts(ctx, h)
	}
	switch {
	case err == nil:
		return f.addLogs(ctx, i, b)
	case kindOf(err) == kindSize:
		return f.single(ctx, i)
	default:
		return err
	}
}

// addLogs sets the logs of block i from its receipts, whose root is compared with the
// header's.
func (f *full) addLogs(ctx context.Context, i int, b *blockReceipts) error {
	logs, err := b.logs(ctx)
	if err != nil {
		return err
	}
	switch err := b.prove(); {
	case err == nil:
		f.blocks[i].Logs = f.c.filter.pick(logs)
		return nil
	case errors.Is(err, ErrNotProvable):
		// The receipts do not have Ethereum's form: compare them with eth_getLogs.
		return f.single(ctx, i)
	default:
		return inconsistent("%w", err)
	}
}

func (e *endpoint) setReceiptsBatch(n int) {
	e.locked(func() { e.receiptsBatch = min(max(n, 1), e.batch) })
}
