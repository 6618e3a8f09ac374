package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// emptyFactor multiplies the number of tested blocks if a range has no logs, because
// a node without a log index returns an empty list.
const emptyFactor = 16

// sample is a block of a range, all of whose logs are requested for comparison.
type sample struct {
	header, logs *call
}

// samples chooses random blocks of a range, and returns the calls that they need
// besides last, the call for the range's last block. The calls join the range's batch,
// so that they add no round trip. A range of one block has one sample.
func (c *Client) samples(from, to uint64, last *call) (samples []sample, calls []*call) {
	if c.o.Samples < 0 {
		return nil, nil
	}
	for _, number := range c.choose(from, to, c.o.Samples) {
		text := hexutil.EncodeUint64(number)
		s := sample{header: last, logs: getLogs(filterArgs{FromBlock: text, ToBlock: text})}
		if number != to {
			s.header = blockByNumber(number)
			calls = append(calls, s.header)
		}
		samples, calls = append(samples, s), append(calls, s.logs)
	}
	return samples, calls
}

// compare compares a span with its samples, and with the bloom filter of its last
// block. For a span without logs it also tests the bloom filters of more blocks.
func (c *Client) compare(ctx context.Context, e *endpoint, span *Span, last *blockHeader, samples []sample) error {
	for _, s := range samples {
		if s.header.err != nil {
			return s.header.err
		}
		h, err := e.numbered(s.header)
		if err != nil {
			return err
		}
		logs, err := e.sampled(ctx, h, s.logs)
		if found := new(leftOutError); errors.As(err, &found) {
			// A log missing from the block itself is also missing from the range.
			found.asked = evm.Range{From: span.From, To: span.To}
		}
		if err == nil {
			err = c.compareBlock(e, span, h, logs)
		}
		if err != nil {
			return err
		}
	}
	denied := func(log evm.Log) bool { return !wire.MayHold(last.bloom, &log) }
	if _, logs := span.at(last.Number); last.bloom != nil && slices.ContainsFunc(logs, denied) {
		if err := c.readAndCompare(ctx, e, span, last); err != nil {
			return err
		}
	}
	if len(span.Blocks) == 0 && span.From < span.To && c.o.Samples > 0 {
		return c.compareEmpty(ctx, e, span)
	}
	return nil
}

// sampled returns all logs of a sample. Its filter has no topics: a provider may
// reject it and still accept the filter of the range.
func (e *endpoint) sampled(ctx context.Context, h *blockHeader, asked *call) ([]evm.Log, error) {
	if asked.err == nil {
		return e.logsOf(ctx, h, asked)
	}
	switch kindOf(asked.err) {
	case kindSize, kindRefused, kindUnsupported:
		return e.blockLogs(ctx, h)
	default:
		return nil, asked.err
	}
}

// compareEmpty tests the bloom filters of random blocks of an empty span. It reads the
// blocks whose filters allow selected logs, at most as many as there are samples.
func (c *Client) compareEmpty(ctx context.Context, e *endpoint, span *Span) error {
	var calls []*call
	for _, number := range c.choose(span.From, span.To, c.o.Samples*emptyFactor) {
		calls = append(calls, blockByNumber(number))
	}
	if err := e.ask(ctx, calls...); err != nil {
		return err
	}
	left := c.o.Samples
	for _, asked := range calls {
		h, err := e.numbered(asked)
		if err != nil {
			return err
		}
		if left == 0 || (h.bloom != nil && !c.filter.mayHold(h.bloom)) {
			continue
		}
		left--
		if err := c.readAndCompare(ctx, e, span, h); err != nil {
			return err
		}
	}
	return nil
}

// readAndCompare reads all logs of a block by its hash and compares them with the span.
func (c *Client) readAndCompare(ctx context.Context, e *endpoint, span *Span, h *blockHeader) error {
	logs, err := e.blockLogs(ctx, h)
	if err != nil {
		return err
	}
	return c.compareBlock(e, span, h, logs)
}

// compareBlock checks that a span contains the selected logs among all logs of a block.
func (c *Client) compareBlock(e *endpoint, span *Span, h *blockHeader, all []evm.Log) error {
	at, logs := span.at(h.Number)
	if len(logs) > 0 && at.Hash != h.Hash {
		return inconsistent("%s: logs name block %d %s, its header has the hash %s", e.name, at.Number, at.Hash, h.Hash)
	}
	return e.compareLogs(span, h.Number, logs, c.filter.pick(all))
}

// compareLogs compares the logs of a block in a span with want. It returns a
// [leftOutError] if only some are missing.
func (e *endpoint) compareLogs(span *Span, number uint64, logs, want []evm.Log) error {
	if equalLogLists(want, logs) {
		return nil
	}
	if leavesOut(logs, want) {
		return &leftOutError{evm.Range{From: span.From, To: span.To},
			fmt.Sprintf("%s: the answer for blocks %d to %d has %d of the %d matching logs of block %d", e.name, span.From, span.To, len(logs), len(want), number)}
	}
	return inconsistent("%s: the %d matching logs of block %d in the range differ from the %d of the block itself", e.name, len(logs), number, len(want))
}

// choose returns up to n different random numbers from from to to, both included.
func (c *Client) choose(from, to uint64, n int) []uint64 {
	size := to - from + 1
	count := min(uint64(n), size)
	// One from each of count equal parts, so that they differ.
	var numbers []uint64
	for i := range count {
		start, end := size*i/count, size*(i+1)/count
		numbers = append(numbers, from+start+uint64(c.o.Random()*float64(end-start)))
	}
	return numbers
}
