package node

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// spanFromLogs reads the beginning of a range from one endpoint. It requests less after each
// error, whatever its message, because no list of messages is complete: first fewer
// blocks, then fewer addresses per call, or the other way round if the error is about
// addresses.
func (n *Node) spanFromLogs(ctx context.Context, from, to uint64) (Span, error) {
	step, addresses := n.pace.Next()
	for now, guessed := step, false; ; now, _ = n.pace.Next() {
		last := min(to, from+now-1)
		span, err := n.checkedSpan(ctx, from, last)
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
			return n.spanFromReceipts(ctx, from)
		case rpcerror.Slow, rpcerror.Temporary:
			// The endpoint may be unhealthy: call another one first. A requested pause
			// does not mean that the range was too large.
			if info.Kind == rpcerror.Slow || info.After == 0 && n.Rest.Failing() {
				n.pace.Shrink(size, info)
			}
			if size == 1 && rpcerror.IsNoData(err) {
				return n.spanFromReceipts(ctx, from)
			}
			return Span{}, err
		default:
			return Span{}, err
		}
		switch {
		case info.Addresses && n.pace.SplitAddresses(n.chain.filter.Longest()):
		case n.pace.Shrink(size, info):
		case info.Kind != rpcerror.Size && n.pace.SplitAddresses(n.chain.filter.Longest()):
			guessed = true
			_, fewer := n.pace.Next()
			n.pace.Restore(step, fewer)
		default:
			if guessed {
				// The error was not about addresses, because fewer fail too.
				n.pace.Restore(1, addresses)
			}
			return n.spanFromReceipts(ctx, from)
		}
	}
}

// spanFromReceipts reads one block, for which eth_getLogs fails, from its receipts.
func (n *Node) spanFromReceipts(ctx context.Context, number uint64) (Span, error) {
	h, err := n.lastAt(ctx, number)
	if err != nil {
		return Span{}, err
	}
	if h.Number < number {
		return Span{From: number, To: number, Last: h.Header}, nil
	}
	receipts, err := n.receipts(ctx, h, nil)
	if err != nil {
		return Span{}, err
	}
	logs, err := receipts.logs(ctx)
	if err != nil {
		return Span{}, err
	}
	span := Span{From: number, To: number, First: h.Header, Last: h.Header}
	if logs = n.chain.filter.Pick(logs); len(logs) > 0 {
		span.Blocks = []evm.Block{{Header: h.Header, Logs: logs}}
	}
	return span, nil
}

// checkedSpan requests a range once and checks the results. It fails with a
// [rpcerror.LogsError] for the range if anything is wrong that a reorg does not explain.
func (n *Node) checkedSpan(ctx context.Context, from, to uint64) (Span, error) {
	span, err := n.requestSpan(ctx, from, to)
	if !rpcerror.Contradicts(err) || errors.Is(err, rpcerror.ErrBranches) {
		return span, err
	}
	wrong, ok := errors.AsType[*rpcerror.LogsError](err)
	if !ok {
		wrong = &rpcerror.LogsError{Text: err.Error()}
	}
	wrong.Range = evm.Range{From: from, To: to}
	return Span{}, wrong
}

func (n *Node) requestSpan(ctx context.Context, from, to uint64) (Span, error) {
	_, addresses := n.pace.Next()
	filters := n.chain.filter.calls(from, to, addresses)
	ends := []*endpoint.Call{blockByNumber(from), blockByNumber(to)}
	if from == to {
		ends = ends[1:]
	}
	// Samples join the batch, so that they add no round trip. A range of one block has one.
	samples, beside := samplesAt(n.choose(from, to, max(0, n.o.Samples)), to, ends[len(ends)-1])
	needed := slices.Concat(filters, ends)
	if err := cmp.Or(n.Do(ctx, slices.Concat(needed, beside)...), endpoint.FirstError(filters), endpoint.FirstTransient(ends)); err != nil {
		return Span{}, err
	}
	last, err := n.numberedHeader(ends[len(ends)-1])
	if rpcerror.IsNoData(err) {
		last, err = n.lastAt(ctx, to)
	}
	if err != nil {
		return Span{}, err
	}
	n.SawHead(to)
	span := Span{From: from, To: to, First: last.Header, Last: last.Header, node: n}
	first, err := n.numberedHeader(ends[0])
	if rpcerror.IsNoData(err) {
		// The first heights may have no block.
		var above []*Header
		if above, err = n.Headers(ctx, from, min(to, from+maxNullRounds)); err == nil {
			first = above[0]
		} else if errors.Is(err, rpcerror.ErrNoBlock) {
			first, err = new(Header), nil
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
		logs, err := n.parseLogs(answer.Result)
		if err != nil {
			return Span{}, err
		}
		answer.Result = nil
		for i := range logs {
			logs[i].answer = place
			if number := logs[i].claim.Number; number < from || number > to {
				return Span{}, rpcerror.Inconsistent("%s: got a log of block %d, want blocks %d to %d", n.Name, number, from, to)
			}
			if !n.chain.filter.Matches(&logs[i].Log) {
				return Span{}, rpcerror.Inconsistent("%s: log %d of block %d does not match the filter", n.Name, logs[i].Index, logs[i].claim.Number)
			}
			if n.chain.filter.Selects(&logs[i].Log) {
				all = append(all, logs[i])
			}
		}
		parts, at := suspectCuts(logs, from, to)
		empty, cuts = append(empty, parts...), append(cuts, at...)
	}
	found, err := groupByBlock(all, true)
	if err != nil {
		return Span{}, rpcerror.Inconsistent("%s: %w", n.Name, err)
	}
	if span.Blocks, err = n.complete(ctx, found, &span); err != nil {
		return Span{}, err
	}
	if n.o.Samples >= 0 {
		slices.Sort(cuts)
		more, calls := samplesAt(slices.Compact(cuts), to, ends[len(ends)-1])
		err := n.Do(ctx, calls...)
		for _, asked := range calls {
			asked.Err = cmp.Or(err, asked.Err)
		}
		samples = append(samples, more...)
	}
	if err = span.renumber(ctx); err == nil {
		err = span.compare(ctx, last, samples, empty)
	}
	if err != nil {
		return Span{}, err
	}
	n.pace.Grow(to-from+1, len(all))
	return span, nil
}

// complete returns the blocks of a span with their headers. It requests the headers of
// blocks whose logs do not contain the time, or one that is not between those of the blocks
// before and after. Times may fall, but a single wrong one would disable all queries by time.
func (n *Node) complete(ctx context.Context, found []*foundBlock, span *Span) ([]evm.Block, error) {
	blocks := make([]evm.Block, len(found))
	for i, b := range found {
		blocks[i] = evm.Block{Header: evm.Header{BlockRef: b.ref, Time: b.time}, Logs: b.logs}
		for _, end := range []*evm.Header{&span.First, &span.Last} {
			if b.ref.Number == end.Number {
				if err := n.checkHeader(b, end); err != nil {
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
	if err := n.Ask(ctx, calls...); err != nil {
		return nil, err
	}
	for j, i := range missing {
		header, err := n.headerOf(calls[j])
		if err == nil {
			err = n.checkHeader(found[i], &header.Header)
		}
		if err != nil {
			return nil, err
		}
		blocks[i].Header = header.Header
	}
	for i := 1; i < len(blocks); i++ {
		a, b := &blocks[i-1].Header, &blocks[i].Header
		if a.Number+1 == b.Number && b.ParentHash != (evm.Hash{}) {
			if err := n.checkParent(a, b); err != nil {
				return nil, err
			}
		}
	}
	return blocks, nil
}
