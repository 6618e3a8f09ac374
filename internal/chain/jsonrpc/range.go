package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Span is the result for a range of blocks, from one endpoint at one time.
type Span struct {
	// From and To are the first and the last block, both included.
	From, To uint64
	// First and Last are the headers of the first and the last block in the range. If none of
	// its first heights has a block, First is zero; if none at all, Last is the block before.
	First, Last evm.Header
	// Blocks are the blocks with selected logs, in order. ParentHash is zero if the
	// header was not requested, because the node returns the time with each log.
	Blocks []evm.Block
	// Proven is true if every block is proven, as by [Client.Full].
	Proven bool

	// endpoint is the endpoint that returned the span.
	endpoint *node
	// receipts are those of the blocks that were read from receipts and have wanted
	// transactions, see [settings.Options.Transactions].
	receipts map[evm.Hash][]wire.Receipt
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
// compared with all their logs ([settings.Options.Samples]), and so are those at which a list may
// have been cut. That exposes nodes that often leave logs out; only [Client.Proven] exposes
// every missing log. If anything in the answer is wrong, the range is read as by
// [Client.Full], now and whenever it is requested again, and so are all ranges of the
// endpoint from then on.
func (c *Client) Span(ctx context.Context, from, to uint64) (Span, error) {
	return tryRange(ctx, c, "logs", from, to, func(ctx context.Context, e *node, from, to uint64) (Span, error) {
		span, err := available(ctx, c, e, from, to, c.spanOrFull, c.spanOrFull)
		if err == nil {
			err = c.addTransactions(ctx, e, span.Blocks, span.receipts)
		}
		return span, err
	})
}

// spanOf reads the beginning of a range from one endpoint. It requests less after each
// error, whatever its message, because no list of messages is complete: first fewer
// blocks, then fewer addresses per call, or the other way round if the error is about
// addresses.
func (c *Client) spanOf(ctx context.Context, e *node, from, to uint64) (Span, error) {
	step, addresses, guessed := get(e, &e.pace.Step), get(e, &e.addresses), false
	for {
		last := min(to, from+get(e, &e.pace.Step)-1)
		span, err := c.spanOnce(ctx, e, from, last)
		size := last - from + 1
		if err == nil {
			return span, nil
		}
		if ctx.Err() != nil {
			return Span{}, ctx.Err()
		}
		info := rpcerror.InfoOf(err)
		switch info.Kind {
		case rpcerror.Size, rpcerror.Refused, rpcerror.Unsupported:
		case rpcerror.Pruned:
			// The node may have the receipts.
			return c.spanFromReceipts(ctx, e, from)
		case rpcerror.Slow, rpcerror.Temporary:
			// The endpoint may be unhealthy: call another one first. A requested pause
			// does not mean that the range was too large.
			if info.Kind == rpcerror.Slow || info.After == 0 && e.Rest.Failing() {
				e.shrink(size, info)
			}
			if size == 1 && rpcerror.IsNoData(err) {
				return c.spanFromReceipts(ctx, e, from)
			}
			return Span{}, err
		default:
			return Span{}, err
		}
		switch {
		case info.Addresses && e.splitAddresses(c.filter.Longest()):
		case e.shrink(size, info):
		case info.Kind != rpcerror.Size && e.splitAddresses(c.filter.Longest()):
			guessed = true
			e.restore(step, get(e, &e.addresses))
		default:
			if guessed {
				// The error was not about addresses, because fewer fail too.
				e.restore(1, addresses)
			}
			return c.spanFromReceipts(ctx, e, from)
		}
	}
}

// spanFromReceipts reads one block, for which eth_getLogs fails, from its receipts.
func (c *Client) spanFromReceipts(ctx context.Context, e *node, number uint64) (Span, error) {
	h, err := e.lastAt(ctx, number)
	if err != nil {
		return Span{}, err
	}
	if h.Number < number {
		return Span{From: number, To: number, Last: h.Header}, nil
	}
	receipts, err := e.receipts(ctx, h, nil)
	if err != nil {
		return Span{}, err
	}
	logs, err := receipts.logs(ctx)
	if err != nil {
		return Span{}, err
	}
	span := Span{From: number, To: number, First: h.Header, Last: h.Header}
	if logs = c.filter.Pick(logs); len(logs) > 0 {
		span.Blocks = []evm.Block{{Header: h.Header, Logs: logs}}
	}
	return span, nil
}

// shrink handles an error for a range of size blocks, see [pace.Pace.Shrink].
func (e *node) shrink(size uint64, info rpcerror.Info) (smaller bool) {
	e.locked(func() { smaller = e.pace.Shrink(size, info) })
	return smaller
}

// splitAddresses halves the number of addresses per filter, given the length of the
// longest list, and reports whether that was possible.
func (e *node) splitAddresses(longest int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.addresses > 0 {
		longest = e.addresses
	}
	if longest < 2 {
		return false
	}
	e.addresses = longest / 2
	return true
}

// restore sets the size of the next range and the number of addresses per filter.
func (e *node) restore(step uint64, addresses int) {
	e.locked(func() { e.pace.Step, e.addresses = min(step, e.pace.Limit), addresses })
}

// spanOnce requests a range once and checks the results. It fails with a [rpcerror.LogsError] for
// the range if anything is wrong that a reorg does not explain.
func (c *Client) spanOnce(ctx context.Context, e *node, from, to uint64) (Span, error) {
	span, err := c.spanRead(ctx, e, from, to)
	if !rpcerror.Contradicts(err) || errors.Is(err, rpcerror.ErrBranches) {
		return span, err
	}
	caught, ok := errors.AsType[*rpcerror.LogsError](err)
	if !ok {
		caught = &rpcerror.LogsError{Text: err.Error()}
	}
	caught.Range = evm.Range{From: from, To: to}
	return Span{}, caught
}

func (c *Client) spanRead(ctx context.Context, e *node, from, to uint64) (Span, error) {
	filters := c.filter.calls(from, to, get(e, &e.addresses))
	ends := []*endpoint.Call{blockByNumber(from), blockByNumber(to)}
	if from == to {
		ends = ends[1:]
	}
	// Samples join the batch, so that they add no round trip. A range of one block has one.
	samples, beside := samplesAt(c.choose(from, to, max(0, c.o.Samples)), to, ends[len(ends)-1])
	needed := slices.Concat(filters, ends)
	if err := cmp.Or(e.Do(ctx, slices.Concat(needed, beside)...), endpoint.FirstError(filters), endpoint.FirstTransient(ends)); err != nil {
		return Span{}, err
	}
	last, err := e.numbered(ends[len(ends)-1])
	if rpcerror.IsNoData(err) {
		last, err = e.lastAt(ctx, to)
	}
	if err != nil {
		return Span{}, err
	}
	e.sawHead(to)
	span := Span{From: from, To: to, First: last.Header, Last: last.Header}
	first, err := e.numbered(ends[0])
	if rpcerror.IsNoData(err) {
		// The first heights may have no block.
		var above []*blockHeader
		if above, err = e.headers(ctx, from, min(to, from+mostAbsent)); err == nil {
			first = above[0]
		} else if errors.Is(err, rpcerror.ErrNoBlock) {
			first, err = new(blockHeader), nil
		}
	}
	if err != nil {
		return Span{}, err
	}
	span.First = first.Header
	var all []foundLog
	var empty []evm.Range
	var cuts []uint64
	for place, answer := range filters {
		logs, err := e.parseLogs(answer.Result)
		if err != nil {
			return Span{}, err
		}
		answer.Result = nil
		for i := range logs {
			logs[i].answer = place
			if n := logs[i].claim.Number; n < from || n > to {
				return Span{}, rpcerror.Inconsistent("%s: got a log of block %d, want blocks %d to %d", e.Name, n, from, to)
			}
			if !c.filter.Matches(&logs[i].Log) {
				return Span{}, rpcerror.Inconsistent("%s: log %d of block %d does not match the filter", e.Name, logs[i].Index, logs[i].claim.Number)
			}
			if c.filter.Selects(&logs[i].Log) {
				all = append(all, logs[i])
			}
		}
		parts, at := cutsOf(logs, from, to)
		empty, cuts = append(empty, parts...), append(cuts, at...)
	}
	found, err := group(all, true)
	if err != nil {
		return Span{}, rpcerror.Inconsistent("%s: %w", e.Name, err)
	}
	if span.Blocks, err = e.complete(ctx, found, &span); err != nil {
		return Span{}, err
	}
	if c.o.Samples >= 0 {
		slices.Sort(cuts)
		more, calls := samplesAt(slices.Compact(cuts), to, ends[len(ends)-1])
		err := e.Do(ctx, calls...)
		for _, asked := range calls {
			asked.Err = cmp.Or(err, asked.Err)
		}
		samples = append(samples, more...)
	}
	if err = c.renumber(ctx, e, &span); err == nil {
		err = c.compare(ctx, e, &span, last, samples, empty)
	}
	if err != nil {
		return Span{}, err
	}
	e.locked(func() { e.pace.Grow(to-from+1, len(all)) })
	return span, nil
}

// complete returns the blocks of a span with their headers. It requests the headers of
// blocks whose logs do not contain the time, or one that is not between those of the blocks
// before and after. Times may fall, but a single wrong one would disable all queries by time.
func (e *node) complete(ctx context.Context, found []*foundBlock, span *Span) ([]evm.Block, error) {
	blocks := make([]evm.Block, len(found))
	for i, b := range found {
		blocks[i] = evm.Block{Header: evm.Header{BlockRef: b.ref, Time: b.time}, Logs: b.logs}
		for _, end := range []*evm.Header{&span.First, &span.Last} {
			if b.ref.Number == end.Number {
				if err := e.agree(b, end); err != nil {
					return nil, err
				}
				blocks[i].Header = *end
			}
		}
	}
	var calls []*endpoint.Call
	var missing []int
	before := span.First.Time
	for i, b := range found {
		after := span.Last.Time
		if i+1 < len(found) && found[i+1].hasTime {
			after = found[i+1].time
		}
		if at := &blocks[i].Header; at.ParentHash == (evm.Hash{}) && (!b.hasTime || b.time < before || b.time > after) {
			calls, missing = append(calls, blockByNumber(at.Number)), append(missing, i)
		}
		if b.hasTime {
			before = b.time
		}
	}
	if err := e.Ask(ctx, calls...); err != nil {
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
		if a.Number+1 == b.Number && b.ParentHash != (evm.Hash{}) {
			if err := e.linked(a, b); err != nil {
				return nil, err
			}
		}
	}
	return blocks, nil
}

// at returns the header and logs of a block of the span, or zero values if it has no
// selected logs.
func (s *Span) at(number uint64) (evm.Header, []evm.Log) {
	i, ok := slices.BinarySearchFunc(s.Blocks, number, func(b evm.Block, n uint64) int {
		return int(int64(b.Header.Number) - int64(n))
	})
	if !ok {
		return evm.Header{}, nil
	}
	return s.Blocks[i].Header, s.Blocks[i].Logs
}
