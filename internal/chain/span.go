package chain

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// Span is the answer to a range of blocks, of one endpoint at one time.
type Span struct {
	// From and To are the first and the last block, both included.
	From, To uint64
	// Last is the header of block To.
	Last evm.Header
	// Blocks are the blocks that have wanted logs, in order. ParentHash is zero
	// where the node gives the time with each log, so that no header was asked
	// for.
	Blocks []evm.Block
	// Proven says that every block is proven, as by [Client.Whole].
	Proven bool
}

// step returns how many blocks are asked for at a time.
func (e *endpoint) step() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pace.step
}

// Span returns as much of the range from to to as one answer covers: at least
// the block from, at most up to to. The range must be finalized. How much is
// asked for follows what the endpoint bears: less after a refusal, slowly more
// after answers. A block that is too much by itself is read from its receipts.
//
// Wanted are logs of these events: Transfer with four topics, and with any
// number of them TransferSingle, TransferBatch, ConsecutiveTransfer, URI,
// MetadataUpdate and BatchMetadataUpdate; see also [ClientOptions].
//
// Every log must lie in the range and agree with the others and with the header
// of the last block, which is asked for in the same batch (a server that takes
// no batches may answer from two states, unseen). Blocks that are chosen at
// random are read whole and compared ([ClientOptions.Samples]), which finds
// nodes that use to leave logs out, but not each log: [Client.Proven] does. A
// range in which one is missing is read as by [Client.Whole], now and whenever it
// is asked for again, and so are all ranges of the endpoint from then on.
func (c *Client) Span(ctx context.Context, from, to uint64) (span Span, err error) {
	if from > to || to > MaxBlockNumber {
		return Span{}, fmt.Errorf("asking for logs [%d, %d]: not a range", from, to)
	}
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		span, err = c.spanOrWhole(ctx, e, from, to)
		return err
	})
	if err != nil {
		return Span{}, fmt.Errorf("asking for logs [%d, %d]: %w", from, to, err)
	}
	return span, nil
}

// spanOf asks one endpoint, for less after each refusal, whatever that says: no
// list of what nodes say is complete. First for fewer blocks, then for fewer
// addresses at a time, which comes first if the refusal is about addresses.
func (c *Client) spanOf(ctx context.Context, e *endpoint, from, to uint64) (Span, error) {
	step, addresses, guessed := e.step(), e.mostAddresses(), false
	for {
		last := min(to, from+e.step()-1)
		span, logs, err := c.spanOnce(ctx, e, from, last)
		size := last - from + 1
		if err == nil {
			e.mu.Lock()
			e.pace.grow(size, logs)
			e.mu.Unlock()
			return span, nil
		}
		if ctx.Err() != nil {
			return Span{}, ctx.Err()
		}
		r := refusalOf(err)
		switch r.kind {
		case kindSize, kindRefused, kindUnsupported:
		case kindSlow, kindTemporary:
			// The endpoint may be ill: another one is asked before this is again. One
			// that asks for a pause does not ask for less.
			if r.kind == kindSlow || r.after == 0 && e.failing() {
				e.shrink(size, r)
			}
			return Span{}, err
		default:
			return Span{}, err
		}
		switch {
		case r.addresses && e.splitAddresses(c.wanted.longest()):
		case e.shrink(size, r):
		case r.kind != kindSize && e.splitAddresses(c.wanted.longest()):
			guessed = true
			e.retake(step, e.mostAddresses())
		default:
			if guessed {
				// It was not about addresses: fewer of them are refused, too.
				e.retake(1, addresses)
			}
			return c.spanFromReceipts(ctx, e, from)
		}
	}
}

// spanFromReceipts reads one block that is refused by itself.
func (c *Client) spanFromReceipts(ctx context.Context, e *endpoint, number uint64) (Span, error) {
	block, err := c.fromReceipts(ctx, e, number)
	if err != nil {
		return Span{}, err
	}
	span := Span{From: number, To: number, Last: block.Header}
	if block.Logs = c.wanted.pick(block.Logs); len(block.Logs) > 0 {
		span.Blocks = []evm.Block{block}
	}
	return span, nil
}

// shrink takes a refusal of so many blocks, see [pace.shrink].
func (e *endpoint) shrink(size uint64, r refusal) (smaller bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pace.shrink(size, r)
}

// failing reports whether the endpoint has failed since its last answer.
func (e *endpoint) failing() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failures > 0
}

func (e *endpoint) mostAddresses() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.addresses
}

// splitAddresses halves the addresses of a filter, of which there are so many,
// and reports whether there are fewer now.
func (e *endpoint) splitAddresses(longest int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.addresses > 0 {
		longest = min(longest, e.addresses)
	}
	if longest < 2 {
		return false
	}
	e.addresses = longest / 2
	return true
}

// retake sets how much is asked for next.
func (e *endpoint) retake(step uint64, addresses int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pace.step, e.addresses = min(step, e.pace.limit), addresses
}

// spanOnce asks for a range once and checks the answer. It returns also how
// many logs the answer had.
func (c *Client) spanOnce(ctx context.Context, e *endpoint, from, to uint64) (Span, int, error) {
	var filters []*call
	for _, f := range c.wanted.filters(from, to, e.mostAddresses()) {
		filters = append(filters, &call{method: "eth_getLogs", args: []any{f}})
	}
	asked := blockByNumber(to)
	samples, beside := c.samples(from, to, asked)
	if err := e.do(ctx, slices.Concat(filters, []*call{asked}, beside)...); err != nil {
		return Span{}, 0, err
	}
	if err := firstError(slices.Concat(filters, []*call{asked})); err != nil {
		return Span{}, 0, err
	}
	last, err := e.numbered(asked)
	if err != nil {
		return Span{}, 0, err
	}
	e.sawHead(to)
	var all []liveLog
	for _, answer := range filters {
		logs, err := e.parseLogs(answer.result)
		if err != nil {
			return Span{}, 0, err
		}
		answer.result = nil
		for i := range logs {
			if n := logs[i].claim.number; n < from || n > to {
				return Span{}, 0, inconsistent("%s: a log of block %d beside the range [%d, %d]", e.name, n, from, to)
			}
			if !c.wanted.asked(&logs[i].Log) {
				return Span{}, 0, inconsistent("%s: log %d of block %d was not asked for", e.name, logs[i].Index, logs[i].claim.number)
			}
			if c.wanted.has(&logs[i].Log) {
				all = append(all, logs[i])
			}
		}
	}
	found, err := group(all, c.numbering.get())
	if err != nil {
		return Span{}, 0, inconsistent("%s: %w", e.name, err)
	}
	span := Span{From: from, To: to, Last: last.Header}
	if span.Blocks, err = e.complete(ctx, found, last); err != nil {
		return Span{}, 0, err
	}
	if err := c.readFully(ctx, e, from, to, span.Blocks); err != nil {
		return Span{}, 0, err
	}
	if err := c.compare(ctx, e, &span, last, samples); err != nil {
		return Span{}, 0, err
	}
	return span, len(all), nil
}

// complete joins blocks with their headers, which it asks for where the logs do
// not tell the time.
func (e *endpoint) complete(ctx context.Context, found []*liveBlock, last *liveHeader) ([]evm.Block, error) {
	blocks := make([]evm.Block, len(found))
	var calls []*call
	var missing []int
	for i, b := range found {
		blocks[i] = evm.Block{Header: evm.Header{BlockRef: b.ref, Time: b.time}, Logs: b.logs}
		if b.ref.Number == last.Number {
			if err := e.agree(b, &last.Header); err != nil {
				return nil, err
			}
			blocks[i].Header = last.Header
		} else if !b.hasTime {
			calls, missing = append(calls, blockByNumber(b.ref.Number)), append(missing, i)
		}
	}
	if err := e.ask(ctx, calls...); err != nil {
		return nil, err
	}
	for j, i := range missing {
		header, err := e.header(calls[j])
		if err == nil {
			err = e.agree(found[i], &header.Header)
		}
		if err != nil {
			return nil, err
		}
		blocks[i].Header = header.Header
	}
	for i := 1; i < len(blocks); i++ {
		a, b := &blocks[i-1].Header, &blocks[i].Header
		if a.Number+1 == b.Number && b.ParentHash != (evm.Hash{}) && a.Hash != b.ParentHash {
			return nil, inconsistent("%s: block %d has the parent %s, block %d the hash %s", e.name, b.Number, b.ParentHash, a.Number, a.Hash)
		}
		if a.Time > b.Time {
			return nil, inconsistent("%s: block %d is later than block %d", e.name, a.Number, b.Number)
		}
	}
	return blocks, nil
}

// agree checks what logs say of their block against its header.
func (e *endpoint) agree(b *liveBlock, h *evm.Header) error {
	if h.BlockRef != b.ref {
		return inconsistent("%s: logs of block %d %s beside block %d %s", e.name, b.ref.Number, b.ref.Hash, h.Number, h.Hash)
	}
	if b.hasTime && b.time != h.Time {
		return inconsistent("%s: logs of block %d at time %d, its header at %d", e.name, h.Number, b.time, h.Time)
	}
	return nil
}
