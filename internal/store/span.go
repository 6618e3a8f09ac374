package store

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/store/read"
)

// span is the range of blocks that satisfies a filter's block numbers, times and finality.
//
// Times are converted to blocks. The span begins after the last stored block earlier than
// fromTime, and ends before the first stored block later than toTime. It may contain blocks
// without a stored header, which have no records, and missing blocks. If missing blocks may
// have a time in the range, they are in the span, and the same rules apply as for a range of
// blocks, see docs/api.md#empty-or-unknown.
type span struct {
	// from and to are the first and the last block, inclusive; nil means no bound.
	from, to *evm.Long
	// before and after are the stored blocks right outside the range of times; nil if there
	// is no such block or bound.
	before, after *uint64
	// nothing means that no block, indexed or not, can be in the span.
	nothing bool
}

// times are the bounds of a filter's range other than blocks: times in Unix seconds, nil for
// none, and whether it ends with the finalized block.
type times struct {
	from, to  *evm.Long
	finalized bool
	// partial means that a range after all known blocks is empty rather than an error.
	partial bool
}

// narrow narrows a span to times. Its errors have the codes BAD_USER_INPUT, if the times of
// the chain fall, and BLOCK_NOT_INDEXED, if the span begins after all known blocks.
func (r *span) narrow(ctx context.Context, s *read.Snapshot, t times) error {
	found, err := read.Times(ctx, s, t.from, t.to)
	switch {
	case err != nil:
		return err
	case (t.from != nil || t.to != nil) && found.Fall != "":
		return read.TimesFall("fromTime and toTime", found.Fall)
	}
	if t.from != nil {
		first := uint64(0)
		if r.before = found.Before; r.before != nil {
			first = *r.before + 1
		}
		r.from = later(r.from, first)
	}
	if r.after = found.After; r.after != nil {
		if r.nothing = *r.after == 0; !r.nothing {
			r.to = earlier(r.to, *r.after-1)
		}
	}
	if r.nothing = r.nothing || r.from != nil && r.to != nil && *r.from > *r.to; r.nothing {
		return nil
	}
	if t.from != nil && found.Since == nil && !t.partial {
		return read.AfterAll(ctx, s, fmt.Sprintf("no block with the time %d or a later one is indexed", *t.from))
	}
	if !t.finalized {
		return nil
	}
	if found.Finalized == nil {
		return read.AfterAll(ctx, s, read.NoFinalized)
	}
	r.to = earlier(r.to, found.Finalized.Number)
	if r.nothing = r.from != nil && *r.from > *r.to; r.nothing && !t.partial {
		return read.AfterAll(ctx, s, fmt.Sprintf("block %d is not finalized: the finalized block is %d", *r.from, found.Finalized.Number))
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
