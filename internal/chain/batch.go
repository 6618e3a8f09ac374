package chain

import (
	"context"
	"slices"
)

// do sends calls, in batches as large as the endpoint takes, and sets their
// result or err. Those that fail among others are sent again without them, so
// that one failure does not cost what arrived. It fails when a batch as a whole
// did, or ctx ended.
func (e *endpoint) do(ctx context.Context, calls ...*call) error {
	if err := e.sendAll(ctx, calls); err != nil || len(calls) == 1 {
		return err
	}
	return e.again(ctx, calls)
}

// ask is do for calls that must all succeed. Of several errors it returns the
// one that says most.
func (e *endpoint) ask(ctx context.Context, calls ...*call) error {
	if err := e.do(ctx, calls...); err != nil {
		return err
	}
	return firstError(calls)
}

func firstError(calls []*call) error {
	var found error
	for _, c := range calls {
		if c.err != nil && (found == nil || refusalOf(found).kind == kindSlow) {
			found = c.err
		}
	}
	return found
}

// sendAll sends each call once, or several times where its batch is refused.
func (e *endpoint) sendAll(ctx context.Context, calls []*call) error {
	for len(calls) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.mu.Lock()
		n := min(e.batch, e.next, len(calls))
		e.mu.Unlock()
		err := e.send(ctx, calls[:n])
		if err == nil && n > 1 {
			err = refusedBatch(calls[:n])
		}
		refused := refusalOf(err)
		switch kind := refused.kind; {
		case err == nil:
			e.arrived(n)
		case n == 1:
			return err
		case kind == kindBatch:
			e.limitBatch(n / 2)
			for _, c := range calls[:n] {
				c.result, c.err = nil, nil
			}
			continue
		case kind == kindSize || kind == kindRefused || kind == kindUnsupported || refused.whole:
			if err := e.halves(ctx, calls[:n], kind); err != nil {
				return err
			}
		case kind == kindSlow:
			// The endpoint may be ill, or the batch too much: another endpoint is
			// asked before this one is asked for less.
			e.mu.Lock()
			e.next = n / 2
			e.mu.Unlock()
			return err
		default:
			return err
		}
		calls = calls[n:]
	}
	return nil
}

// halves sends a batch that was refused by one error as two: the error may be
// about one of the calls, which then fails alone, or about their number.
func (e *endpoint) halves(ctx context.Context, calls []*call, kind kind) error {
	half := len(calls) / 2
	for _, part := range [][]*call{calls[:half], calls[half:]} {
		err := e.sendAll(ctx, part)
		if again := refusalOf(err).kind; len(part) == 1 && (again == kindSize || again == kindRefused || again == kindUnsupported) {
			part[0].err, err = err, nil
		}
		if err != nil {
			return err
		}
	}
	// What may pass, or is about what was asked for, says nothing of the next batch.
	if kind != kindSize && kind != kindTemporary && firstError(calls) == nil {
		e.limitBatch(half)
	}
	return nil
}

// limitBatch notes that the endpoint takes no more than n calls at once.
func (e *endpoint) limitBatch(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch = max(1, min(e.batch, n))
}

// arrived notes that a batch of n calls was answered.
func (e *endpoint) arrived(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n >= e.next {
		e.next = min(2*n, e.o.BatchSize)
	}
}

// again sends those calls again that failed in a way that may pass; where none
// succeeds, in batches half as large.
func (e *endpoint) again(ctx context.Context, calls []*call) error {
	failed := passing(calls)
	for size := len(failed); len(failed) > 0; {
		limited := slices.IndexFunc(failed, func(c *call) bool { return refusalOf(c.err).kind == kindRate })
		if limited >= 0 {
			if err := e.o.Sleep(ctx, max(refusalOf(failed[limited].err).after, e.o.MinRest)); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(failed, min(size, len(failed))) {
			if err := e.sendAll(ctx, part); err != nil {
				return err
			}
		}
		left := passing(failed)
		if len(left) == len(failed) {
			// Asking for less at a time does not help where it is too often.
			if size == 1 || limited >= 0 {
				return nil
			}
			size /= 2
		}
		failed = left
	}
	return nil
}

// passing returns the calls that may succeed when they are sent again: those
// that met a failure of the node's, and those that were refused for no known
// reason beside others that were not. A range of logs is not one of the latter,
// since less of it is asked for next.
func passing(calls []*call) (failed []*call) {
	succeeded := slices.ContainsFunc(calls, func(c *call) bool { return c.err == nil })
	for _, c := range calls {
		switch refusalOf(c.err).kind {
		case kindTemporary, kindRate:
			failed = append(failed, c)
		case kindRefused:
			if succeeded && c.method != "eth_getLogs" {
				failed = append(failed, c)
			}
		}
	}
	return failed
}

// refusedBatch returns the error of a call that is about the batch it was in;
// geth answers the first call of a batch that is too large, and no other.
func refusedBatch(calls []*call) error {
	for _, c := range calls {
		if refusalOf(c.err).kind == kindBatch {
			return c.err
		}
	}
	return nil
}
