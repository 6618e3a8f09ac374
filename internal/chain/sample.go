package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// emptyFactor is how many times as many blocks of a range are looked at when it
// has no logs: an empty answer is what a node without its log index gives.
const emptyFactor = 16

// sample is a block of a range that is read whole beside it, to compare.
type sample struct {
	header, logs *call
}

// samples chooses blocks of a range. The calls go into the batch of the range,
// so that they cost no time; a range of one block has one sample.
func (c *Client) samples(from, to uint64, last *call) (samples []sample, calls []*call) {
	if c.o.Samples < 0 {
		return nil, nil
	}
	for _, number := range c.choose(from, to, c.o.Samples) {
		s := sample{header: last, logs: &call{
			method: "eth_getLogs", args: []any{filter{FromBlock: hexQuantity(number), ToBlock: hexQuantity(number)}},
		}}
		if number != to {
			s.header = blockByNumber(number)
			calls = append(calls, s.header)
		}
		samples, calls = append(samples, s), append(calls, s.logs)
	}
	return samples, calls
}

// compare holds a span against its samples, and against the bloom filter of its
// last block. A span without logs is held against more headers.
func (c *Client) compare(ctx context.Context, e *endpoint, span *Span, last *liveHeader, samples []sample) error {
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
			// What the block lacks by itself, the range lacks too.
			found.asked = evm.Range{From: span.From, To: span.To}
		}
		if err != nil {
			return err
		}
		if err := c.same(e, span, h, logs); err != nil {
			return err
		}
	}
	denied := func(log evm.Log) bool { return !last.bloom.hasLog(&log) }
	if _, logs := span.at(last.Number); last.hasBloom && slices.ContainsFunc(logs, denied) {
		if err := c.compareWhole(ctx, e, span, last); err != nil {
			return err
		}
	}
	if len(span.Blocks) == 0 && span.From < span.To && c.o.Samples > 0 {
		return c.compareEmpty(ctx, e, span)
	}
	return nil
}

// sampled returns all logs of a sample. A provider may refuse the filter, which
// has no topics, though it takes that of the range.
func (e *endpoint) sampled(ctx context.Context, h *liveHeader, asked *call) ([]evm.Log, error) {
	if asked.err == nil {
		return e.logsOf(ctx, h, asked)
	}
	switch refusalOf(asked.err).kind {
	case kindSize, kindRefused, kindUnsupported:
		return e.wholeBlock(ctx, h)
	default:
		return nil, asked.err
	}
}

// compareEmpty looks for blocks whose bloom filters allow wanted logs, and reads
// as many of them as there are samples.
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
		if left == 0 || (h.hasBloom && !c.wanted.mayHold(&h.bloom)) {
			continue
		}
		left--
		if err := c.compareWhole(ctx, e, span, h); err != nil {
			return err
		}
	}
	return nil
}

// compareWhole reads a block by its hash and compares.
func (c *Client) compareWhole(ctx context.Context, e *endpoint, span *Span, h *liveHeader) error {
	logs, err := e.wholeBlock(ctx, h)
	if err != nil {
		return err
	}
	return c.same(e, span, h, logs)
}

// same checks that a span has the wanted ones of all logs of a block.
func (c *Client) same(e *endpoint, span *Span, h *liveHeader, all []evm.Log) error {
	at, logs := span.at(h.Number)
	if len(logs) > 0 && at.Hash != h.Hash {
		return inconsistent("%s: logs of block %d %s beside block %s", e.name, at.Number, at.Hash, h.Hash)
	}
	return sameLogs(e, evm.Range{From: span.From, To: span.To}, h.Number, logs, c.wanted.pick(all))
}

// sameLogs checks that the answer to a range has the wanted logs of a block.
func sameLogs(e *endpoint, asked evm.Range, number uint64, logs, want []evm.Log) error {
	if equalLogLists(want, logs) {
		return nil
	}
	if leavesOut(logs, want) {
		return &leftOutError{asked,
			fmt.Sprintf("%s: the answer for blocks %d to %d has %d of the %d wanted logs of block %d", e.name, asked.From, asked.To, len(logs), len(want), number)}
	}
	return inconsistent("%s: the range has %d wanted logs of block %d, the block itself has others (%d)", e.name, len(logs), number, len(want))
}

// leavesOut reports whether a list has only logs of another, and not all.
func leavesOut(list, all []evm.Log) bool {
	for _, log := range all {
		if len(list) > 0 && equalLogs(&list[0], &log) {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// choose returns up to n different numbers from from to to at random.
func (c *Client) choose(from, to uint64, n int) []uint64 {
	size := to - from + 1
	count := min(uint64(n), size)
	// One of each nth part, so that they are different.
	var numbers []uint64
	for i := range count {
		start, end := size*i/count, size*(i+1)/count
		numbers = append(numbers, from+start+uint64(c.o.Random()*float64(end-start)))
	}
	return numbers
}

// numbered reads the answer to [blockByNumber], which must have that number.
func (e *endpoint) numbered(asked *call) (*liveHeader, error) {
	h, err := e.header(asked)
	if err == nil && hexQuantity(h.Number) != asked.args[0] {
		return nil, inconsistent("%s: block %d in place of block %s", e.name, h.Number, asked.args[0])
	}
	return h, err
}

// at returns the header and logs of a block of the span; none where it is not
// among those with logs.
func (s *Span) at(number uint64) (evm.Header, []evm.Log) {
	i, ok := slices.BinarySearchFunc(s.Blocks, number, func(b evm.Block, n uint64) int {
		return int(int64(b.Header.Number) - int64(n))
	})
	if !ok {
		return evm.Header{}, nil
	}
	return s.Blocks[i].Header, s.Blocks[i].Logs
}
