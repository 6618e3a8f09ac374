package chain

import (
	"context"
	"slices"

	"mintburn/internal/evm"
)

// emptyFactor is how many times as many blocks of a range are sampled when it
// has no logs: an empty answer is what a node without its log index gives.
const emptyFactor = 16

// sample compares some blocks of a span with what the node itself says of them
// elsewhere: blocks chosen at random, and the last one if it is suspicious or
// nothing else was compared. A block without wanted logs whose bloom filter
// denies them needs no more; others are read whole, at most Samples of them.
func (c *Client) sample(ctx context.Context, e *endpoint, span *Span, last *liveHeader) error {
	headers := []*liveHeader{last}
	if c.o.Samples > 0 && span.To > span.From {
		n := c.o.Samples
		if len(span.Blocks) == 0 {
			n *= emptyFactor
		}
		var calls []*call
		for _, number := range c.choose(span.From, span.To-1, n) {
			calls = append(calls, blockByNumber(number))
		}
		if err := e.ask(ctx, calls...); err != nil {
			return err
		}
		for _, asked := range calls {
			h, err := e.header(asked)
			if err != nil {
				return err
			}
			if hexQuantity(h.Number) != asked.args[0] {
				return inconsistent("%s: block %d in place of block %s", e.name, h.Number, asked.args[0])
			}
			headers = append(headers, h)
		}
	}
	left := max(c.o.Samples, 0)
	// The random ones come first.
	slices.Reverse(headers)
	for _, h := range headers {
		logs := span.logsOf(h.Number)
		if at, ok := span.headerOf(h.Number); ok && at.BlockRef != h.BlockRef {
			return inconsistent("%s: logs of block %d %s beside block %s", e.name, at.Number, at.Hash, h.Hash)
		}
		suspicious := h.hasBloom && slices.ContainsFunc(logs, func(log evm.Log) bool { return !h.bloom.hasLog(&log) })
		if !suspicious && (left == 0 || (h.hasBloom && !c.wanted.mayHold(&h.bloom) && len(logs) == 0)) {
			continue
		}
		left = max(left-1, 0)
		block, err := c.wholeBlock(ctx, e, h)
		if err != nil {
			return err
		}
		if !equalLogLists(c.wanted.pick(block), logs) {
			return inconsistent("%s: a range has %d wanted logs of block %d, the block itself has others", e.name, len(logs), h.Number)
		}
	}
	return nil
}

// choose returns up to n different numbers from from to to at random.
func (c *Client) choose(from, to uint64, n int) []uint64 {
	size := to - from + 1
	if uint64(n) >= size {
		all := make([]uint64, size)
		for i := range all {
			all[i] = from + uint64(i)
		}
		return all
	}
	// One of each nth part, so that they are different.
	var numbers []uint64
	for i := range uint64(n) {
		start, end := size*i/uint64(n), size*(i+1)/uint64(n)
		numbers = append(numbers, from+start+uint64(c.o.Random()*float64(end-start)))
	}
	return numbers
}

func (s *Span) find(number uint64) (int, bool) {
	return slices.BinarySearchFunc(s.Blocks, number, func(b evm.Block, n uint64) int {
		return int(int64(b.Header.Number) - int64(n))
	})
}

func (s *Span) logsOf(number uint64) []evm.Log {
	if i, ok := s.find(number); ok {
		return s.Blocks[i].Logs
	}
	return nil
}

func (s *Span) headerOf(number uint64) (evm.Header, bool) {
	if i, ok := s.find(number); ok {
		return s.Blocks[i].Header, true
	}
	return evm.Header{}, false
}
