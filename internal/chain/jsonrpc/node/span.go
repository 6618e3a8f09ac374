package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Span is the result for a range of blocks, from one node at one time.
type Span struct {
	// From and To are the first and the last block, both included.
	From, To uint64
	// First and Last are the headers of the first and the last block in the range. If none of
	// its first heights has a block, First is zero; if none at all, Last is the block before.
	First, Last evm.Header
	// Blocks are the blocks with selected logs, in order. ParentHash is zero if the
	// header was not requested, because the node returns the time with each log.
	Blocks []evm.Block
	// Proven is true if every block is proven, as by [Node.Full].
	Proven bool

	// node is the node that returned the span.
	node *Node
	// receipts are those of the blocks that were read from receipts and have wanted
	// transactions, see [settings.Options.Transactions].
	receipts map[evm.Hash][]wire.Receipt
}

// At returns the header and logs of a block of the span, or zero values if it has no
// selected logs.
func (s *Span) At(number uint64) (evm.Header, []evm.Log) {
	i, ok := slices.BinarySearchFunc(s.Blocks, number, func(b evm.Block, n uint64) int {
		return int(int64(b.Header.Number) - int64(n))
	})
	if !ok {
		return evm.Header{}, nil
	}
	return s.Blocks[i].Header, s.Blocks[i].Logs
}

// emptyFactor multiplies the number of tested blocks if a range has no logs, because
// a node without a log index returns an empty list.
const emptyFactor = 16

// sample is a block of a range, all of whose logs are requested for comparison.
type sample struct {
	header, logs *endpoint.Call
}

// samplesAt returns samples of blocks, and the calls that they need besides last, the call
// for block to.
func samplesAt(numbers []uint64, to uint64, last *endpoint.Call) (samples []sample, calls []*endpoint.Call) {
	for _, number := range numbers {
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

// compare compares a span with its samples, with the bloom filter of its last block, and
// with the parts in which an answer may lack logs. For a span without logs it also tests the
// bloom filters of more blocks.
func (s *Span) compare(ctx context.Context, last *Header, samples []sample, empty []evm.Range) error {
	for _, block := range samples {
		h, err := s.sampleHeader(ctx, block.header)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		// This filter has no topics: a provider may reject it and still accept the range's.
		logs, err := s.node.logsOf(ctx, h, block.logs)
		if err == nil {
			err = s.compareBlock(h, logs)
		}
		if err != nil {
			return err
		}
	}
	denied := func(log evm.Log) bool { return !wire.MayHold(last.bloom, &log) }
	if _, logs := s.At(last.Number); last.bloom != nil && slices.ContainsFunc(logs, denied) {
		if err := s.readAndCompare(ctx, last); err != nil {
			return err
		}
	}
	if s.node.o.Samples < 0 {
		return nil
	}
	if len(s.Blocks) == 0 && s.From < s.To {
		empty = []evm.Range{{From: s.From, To: s.To}}
	}
	for _, part := range empty {
		if err := s.compareEmpty(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// A cut is suspected where fewer than 1 in e^cutLogs lists would end by chance: with so many
// logs missing at the density of the others. Lists of at least cutLength logs are compared
// with their last block, because most cuts are within a block.
const (
	cutLogs   = 5
	cutLength = 100
)

// suspectCuts returns where logs may be missing in an answer for a range: the ends that have
// suspiciously few, each with the nearest block that has some, and the last block of a long
// list.
func suspectCuts(logs []foundLog, from, to uint64) (empty []evm.Range, ends []uint64) {
	if len(logs) == 0 {
		return nil, nil
	}
	first, last := to, from
	for i := range logs {
		first, last = min(first, logs[i].claim.Number), max(last, logs[i].claim.Number)
	}
	few := func(blocks uint64) bool { return uint64(len(logs))*blocks > cutLogs*(to-from+1) }
	if few(first - from) {
		empty = append(empty, evm.Range{From: from, To: first})
	}
	switch {
	case few(to - last):
		empty = append(empty, evm.Range{From: last, To: to})
	case len(logs) >= cutLength:
		ends = append(ends, last)
	}
	return empty, ends
}

// sampleHeader returns the header of a sample, or nil if its height has no block.
func (s *Span) sampleHeader(ctx context.Context, asked *endpoint.Call) (*Header, error) {
	h, err := s.node.numberedHeader(asked)
	if !rpcerror.IsNoData(err) {
		return h, err
	}
	number, err := hexutil.DecodeUint64(asked.Args[0].(string))
	if err == nil {
		_, err = s.node.Headers(ctx, max(s.From, number-min(number, maxNullRounds)), min(s.To, number+maxNullRounds))
	}
	if errors.Is(err, rpcerror.ErrNoBlock) {
		err = nil
	}
	return nil, err
}

// compareEmpty tests random blocks of a part of a span that has no logs, and its ends, which
// may have some. It reads the blocks that may have selected logs: the ends, and as many others
// as there are samples.
func (s *Span) compareEmpty(ctx context.Context, empty evm.Range) error {
	numbers := append(s.node.choose(empty.From, empty.To, max(1, s.node.o.Samples)*emptyFactor), empty.From, empty.To)
	slices.Sort(numbers)
	var calls []*endpoint.Call
	for _, number := range slices.Compact(numbers) {
		calls = append(calls, blockByNumber(number))
	}
	if err := cmp.Or(s.node.Do(ctx, calls...), endpoint.FirstTransient(calls)); err != nil {
		return err
	}
	// Begin anywhere: the first blocks without a proof are the ones that are read.
	left, first := s.node.o.Samples, int(s.node.o.Random()*float64(len(calls)))
	for _, asked := range slices.Concat(calls[first:], calls[:first]) {
		h, err := s.sampleHeader(ctx, asked)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		_, has := s.At(h.Number)
		if len(has) == 0 {
			_ = s.node.prove(h)
			if left == 0 || s.node.chain.filter.excludes(h) {
				continue
			}
			left--
		}
		if err := s.readAndCompare(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// readAndCompare reads all logs of a block by its hash and compares them with those of
// the span.
func (s *Span) readAndCompare(ctx context.Context, h *Header) error {
	logs, err := s.node.BlockLogs(ctx, h)
	if err != nil {
		return err
	}
	return s.compareBlock(h, logs)
}

// compareBlock checks that a span contains the selected logs among all logs of a block, and
// its time.
func (s *Span) compareBlock(h *Header, all []evm.Log) error {
	at, logs := s.At(h.Number)
	if len(logs) > 0 && at.Hash != h.Hash {
		return rpcerror.Branches("%s: logs name block %d %s, its header has the hash %s", s.node.Name, at.Number, at.Hash, h.Hash)
	}
	if len(logs) > 0 && at.Time != h.Time {
		return &rpcerror.LogsError{Range: evm.Range{From: s.From, To: s.To},
			Text: fmt.Sprintf("%s: logs of block %d have the time %d, its header has %d", s.node.Name, at.Number, at.Time, h.Time)}
	}
	return s.compareLogs(h.Number, logs, s.node.chain.filter.Pick(all))
}

// compareLogs compares the logs of a block in a span with want. It returns a
// [rpcerror.LogsError] if they differ.
func (s *Span) compareLogs(number uint64, logs, want []evm.Log) error {
	if wire.EqualLogLists(want, logs) {
		return nil
	}
	wrong := &rpcerror.LogsError{Range: evm.Range{From: s.From, To: s.To}, LeftOut: wire.LeavesOut(logs, want)}
	wrong.Text = fmt.Sprintf("%s: the answer for blocks %d to %d has %d of the %d matching logs of block %d", s.node.Name, s.From, s.To, len(logs), len(want), number)
	if !wrong.LeftOut {
		wrong.Text = fmt.Sprintf("%s: the %d matching logs of block %d in the range differ from the %d of the block itself", s.node.Name, len(logs), number, len(want))
	}
	return wrong
}

// choose returns up to most different random numbers from from to to, both included.
func (n *Node) choose(from, to uint64, most int) []uint64 {
	size := to - from + 1
	count := min(uint64(most), size)
	// One from each of count equal parts, so that they differ.
	var numbers []uint64
	for i := range count {
		start, end := size*i/count, size*(i+1)/count
		numbers = append(numbers, from+start+uint64(n.o.Random()*float64(end-start)))
	}
	return numbers
}

// renumber sets the log indices of the blocks whose filtered logs do not suffice for
// that, see [wire.SelfNumbered]: it reads all logs of such a block and keeps the selected
// ones. Once a block has shown the endpoint's numbering, other blocks may not need it.
func (s *Span) renumber(ctx context.Context) error {
	for i := range s.Blocks {
		b := &s.Blocks[i]
		if wire.SelfNumbered(b.Logs, s.node.numbering()) {
			continue
		}
		h, err := s.node.HeaderAt(ctx, b.Header.Number)
		if err != nil {
			return err
		}
		if h.BlockRef != b.Header.BlockRef {
			return rpcerror.Branches("%s: logs name block %d %s, its header has the hash %s", s.node.Name, b.Header.Number, b.Header.Hash, h.Hash)
		}
		all, err := s.node.BlockLogs(ctx, h)
		if err != nil {
			return err
		}
		some, want := b.Logs, s.node.chain.filter.Pick(all)
		b.Header, b.Logs = h.Header, want
		if s.node.numbering() != evm.NumberingBlock {
			some, want = wire.Unnumbered(some), wire.Unnumbered(want)
		}
		if err := s.compareLogs(h.Number, some, want); err != nil {
			return err
		}
	}
	return nil
}
