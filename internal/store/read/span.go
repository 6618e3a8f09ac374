package read

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
)

// Span is the range of blocks that satisfies a filter's block numbers, times and finality.
//
// Times are converted to blocks. The span begins after the last stored block earlier than
// fromTime, and ends before the first stored block later than toTime. It may contain blocks
// without a stored header, which have no records, and missing blocks. If missing blocks may
// have a time in the range, they are in the span, and the same rules apply as for a range of
// blocks, see docs/api.md#empty-or-unknown.
type Span struct {
	// From and To are the first and the last block, inclusive; nil means no bound.
	From, To *evm.Long
	// Before and After are the stored blocks right outside the range of times; nil if there
	// is no such block or bound.
	Before, After *uint64
	// Nothing means that no block, indexed or not, can be in the span.
	Nothing bool
}

// SpanTimes are the bounds of a filter's range other than blocks: times in Unix seconds, nil for
// none, and whether it ends with the finalized block.
type SpanTimes struct {
	From, To  *evm.Long
	Finalized bool
	// Partial means that a range after all known blocks is empty rather than an error.
	Partial bool
}

// Narrow narrows a span to times. Its errors have the codes BAD_USER_INPUT, if the times of
// the chain fall, and BLOCK_NOT_INDEXED, if the span begins after all known blocks.
func (r *Span) Narrow(ctx context.Context, s *Snapshot, t SpanTimes) error {
	found, err := Times(ctx, s, t.From, t.To)
	switch {
	case err != nil:
		return err
	case (t.From != nil || t.To != nil) && found.Fall != "":
		return TimesFall("fromTime and toTime", found.Fall)
	}
	if t.From != nil {
		first := uint64(0)
		if r.Before = found.Before; r.Before != nil {
			first = *r.Before + 1
		}
		r.From = later(r.From, first)
	}
	if r.After = found.After; r.After != nil {
		if r.Nothing = *r.After == 0; !r.Nothing {
			r.To = earlier(r.To, *r.After-1)
		}
	}
	if r.Nothing = r.Nothing || r.From != nil && r.To != nil && *r.From > *r.To; r.Nothing {
		return nil
	}
	if t.From != nil && found.Since == nil && !t.Partial {
		return AfterAll(ctx, s, fmt.Sprintf("no block with the time %d or a later one is indexed", *t.From))
	}
	if !t.Finalized {
		return nil
	}
	if found.Finalized == nil {
		return AfterAll(ctx, s, NoFinalized)
	}
	r.To = earlier(r.To, found.Finalized.Number)
	if r.Nothing = r.From != nil && *r.From > *r.To; r.Nothing && !t.Partial {
		return AfterAll(ctx, s, fmt.Sprintf("block %d is not finalized: the finalized block is %d", *r.From, found.Finalized.Number))
	}
	return nil
}

// later returns the later of a bound and a block, earlier the earlier one. A nil bound is
// no bound.
func later(bound *evm.Long, number uint64) *evm.Long {
	if bound != nil && uint64(*bound) >= number {
		return bound
	}
	n := evm.Long(number)
	return &n
}

func earlier(bound *evm.Long, number uint64) *evm.Long {
	if bound != nil && uint64(*bound) <= number {
		return bound
	}
	n := evm.Long(number)
	return &n
}
