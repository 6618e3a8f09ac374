package jsonrpc

import (
	"cmp"
	"context"
	"slices"
)

// do sends calls, in batches as large as the endpoint takes, and sets their result
// or err. Those that fail among others are sent again without them, so that one
// failure does not cost the other results. It fails when a batch as a whole did, or
// ctx ended.
func (e *endpoint) do(ctx context.Context, calls ...*call) error {
	if err := e.sendAll(ctx, calls); err != nil || len(calls) == 1 {
		return err
	}
	return e.again(ctx, calls)
}

// ask is do for calls that must all succeed. Of several errors it returns one that
// is no lost answer, if there is any.
func (e *endpoint) ask(ctx context.Context, calls ...*call) error {
	return cmp.Or(e.do(ctx, calls...), firstError(calls))
}

func firstError(calls []*call) error {
	var found error
	for _, c := range calls {
		if c.err != nil && (found == nil || kindOf(found) == kindSlow) {
			found = c.err
		}
	}
	return found
}

// sendAll sends each call once, or several times where its batch fails.
func (e *endpoint) sendAll(ctx context.Context, calls []*call) error {
	for len(calls) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(get(e, &e.batch), get(e, &e.next), len(calls))
		err := e.send(ctx, calls[:n])
		if err == nil && n > 1 {
			err = batchError(calls[:n])
		}
		info := infoOf(err)
		switch kind := info.kind; {
		case err == nil:
			e.locked(func() {
				if n >= e.next {
					e.next = min(2*n, e.o.BatchSize)
				}
			})
		case n == 1:
			return err
		case kind == kindBatch:
			e.limitBatch(n / 2)
			continue
		case kind == kindSize || kind == kindRefused || kind == kindUnsupported || info.whole:
			if err := e.halves(ctx, calls[:n], kind); err != nil {
				return err
			}
		case kind == kindSlow:
			// The endpoint may be unhealthy, or the batch too large: another endpoint
			// is called before this one gets a smaller batch.
			set(e, &e.next, n/2)
			return err
		default:
			return err
		}
		calls = calls[n:]
	}
	return nil
}

// halves sends a batch that was answered by one error as two: the error may be
// about one of the calls, which then fails alone, or about their number.
func (e *endpoint) halves(ctx context.Context, calls []*call, kind kind) error {
	half := len(calls) / 2
	for _, part := range [][]*call{calls[:half], calls[half:]} {
		err := e.sendAll(ctx, part)
		if again := kindOf(err); len(part) == 1 && (again == kindSize || again == kindRefused || again == kindUnsupported) {
			part[0].err, err = err, nil
		}
		if err != nil {
			return err
		}
	}
	// A temporary error, or one about a range, says nothing of the next batch.
	if kind != kindSize && kind != kindTemporary && firstError(calls) == nil {
		e.limitBatch(half)
	}
	return nil
}

// limitBatch notes that the endpoint takes no more than n calls at once.
func (e *endpoint) limitBatch(n int) { e.locked(func() { e.batch = max(1, min(e.batch, n)) }) }

// again repeats the calls that failed temporarily; where none succeeds, in batches
// half as large.
func (e *endpoint) again(ctx context.Context, calls []*call) error {
	failed := retryable(calls)
	for size := len(failed); len(failed) > 0; {
		limited := slices.IndexFunc(failed, func(c *call) bool { return kindOf(c.err) == kindRate })
		if limited >= 0 {
			if err := e.o.Sleep(ctx, max(infoOf(failed[limited].err).after, e.o.MinRest)); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(failed, min(size, len(failed))) {
			if err := e.sendAll(ctx, part); err != nil {
				return err
			}
		}
		left := retryable(failed)
		if len(left) == len(failed) {
			// Smaller batches do not help against a rate limit.
			if size == 1 || limited >= 0 {
				return nil
			}
			size /= 2
		}
		failed = left
	}
	return nil
}

// retryable returns the calls that may succeed when they are repeated: those that
// failed temporarily, and those that failed for an unknown reason beside others
// that did not. A range of logs is not one of the latter, because a smaller range
// is tried next.
func retryable(calls []*call) (failed []*call) {
	succeeded := slices.ContainsFunc(calls, func(c *call) bool { return c.err == nil })
	for _, c := range calls {
		switch kindOf(c.err) {
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

// batchError returns the error of a call that is about the batch it was in; geth
// answers the first call of a batch that is too large, and no other. The text of a
// revert is the contract's.
func batchError(calls []*call) error {
	for _, c := range calls {
		if kindOf(c.err) == kindBatch && !isRevert(c.err) {
			return c.err
		}
	}
	return nil
}
