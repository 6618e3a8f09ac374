package jsonrpc

import (
	"cmp"
	"context"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
)

// do sends calls in batches as large as the endpoint accepts, and sets the result or
// err of each. Only the calls that failed are sent again, so that one failure does not
// cost the other results. It fails if a batch as a whole fails, if the answers are larger
// than [Options.MaxBody], or if ctx ends.
func (e *endpoint) do(ctx context.Context, calls ...*call) error {
	slot.Of(ctx).Forget()
	if err := e.sendAll(ctx, calls, false); err != nil || len(calls) == 1 {
		return err
	}
	return e.retry(ctx, calls)
}

// ask is [endpoint.do] for calls that must all succeed. Of several errors it returns
// the first that is not about a lost answer, if any.
func (e *endpoint) ask(ctx context.Context, calls ...*call) error {
	return cmp.Or(e.do(ctx, calls...), firstError(calls))
}

// firstTransient returns the first error of a call that the node did not answer, or nil.
func firstTransient(calls []*call) error {
	for _, c := range calls {
		if c.err != nil && !rpcerror.IsNoData(c.err) {
			return c.err
		}
	}
	return nil
}

func firstError(calls []*call) error {
	var found error
	for _, c := range calls {
		if c.err != nil && (found == nil || rpcerror.KindOf(found) == rpcerror.Slow) {
			found = c.err
		}
	}
	return found
}

// sendAll sends each call once, or again in smaller batches if its batch fails. healthy
// means that the endpoint has just answered a single call.
func (e *endpoint) sendAll(ctx context.Context, calls []*call, healthy bool) error {
	for len(calls) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(get(e, &e.batch), get(e, &e.next), len(calls))
		err := e.send(ctx, calls[:n])
		if err == nil && n > 1 {
			err = batchError(calls[:n])
		}
		info := rpcerror.InfoOf(err)
		switch kind := info.Kind; {
		case err == nil:
			e.locked(func() {
				if n >= e.next {
					e.next = min(2*n, e.o.BatchSize)
				}
			})
		case n == 1:
			return err
		case kind == rpcerror.Batch:
			e.limitBatch(n / 2)
			continue
		case info.Whole || kind == rpcerror.Size || kind == rpcerror.Refused || kind == rpcerror.Unsupported:
			if info.Whole && !healthy {
				if err := e.answersAlone(ctx, calls); err != nil {
					return err
				}
			}
			if err := e.sendHalves(ctx, calls[:n], kind); err != nil {
				return err
			}
		case kind == rpcerror.Slow:
			// The endpoint may be unhealthy or the batch too large: call another
			// endpoint before sending this one a smaller batch.
			set(e, &e.next, n/2)
			return err
		default:
			return err
		}
		calls = calls[n:]
	}
	return nil
}

// sendHalves splits a refused batch in two: the cause may be one of the calls, which then
// fails alone, or the number of calls.
func (e *endpoint) sendHalves(ctx context.Context, calls []*call, kind rpcerror.Kind) error {
	half := len(calls) / 2
	for _, part := range [][]*call{calls[:half], calls[half:]} {
		err := e.sendAll(ctx, part, true)
		if again := rpcerror.KindOf(err); len(part) == 1 && (again == rpcerror.Size || again == rpcerror.Refused || again == rpcerror.Unsupported) {
			part[0].err, err = err, nil
		}
		if err != nil {
			return err
		}
	}
	// Other errors say nothing about batch sizes.
	if (kind == rpcerror.Refused || kind == rpcerror.Unsupported) && firstError(calls) == nil {
		e.limitBatch(half)
	}
	return nil
}

// An endpoint answers no batches if it refused mostRefused batches of at most smallBatch
// calls in a row, while it answered single calls.
const mostRefused, smallBatch = 3, 3

// noteBatch learns from the result of n calls whether the endpoint answers batches.
func (e *endpoint) noteBatch(n int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case n == 1 && err == nil && e.refused >= mostRefused:
		e.batch = 1
	case (n == 1) == (err != nil):
		e.refused = 0
	case n <= smallBatch && rpcerror.InfoOf(err).Whole:
		e.refused++
	}
}

// answersAlone sends one or two calls of a refused batch alone. It fails if both fail:
// then the endpoint is unhealthy, and the batch was not the cause. One alone may fail
// because of the call.
func (e *endpoint) answersAlone(ctx context.Context, calls []*call) error {
	err := e.send(ctx, calls[:1])
	if err != nil && ctx.Err() == nil {
		err = e.send(ctx, calls[1:2])
	}
	// The calls are sent again.
	slot.Of(ctx).Forget()
	return err
}

// limitBatch records that the endpoint accepts at most n calls in a batch.
func (e *endpoint) limitBatch(n int) { e.locked(func() { e.batch = max(1, min(e.batch, n)) }) }

// retry repeats the [retryable] calls. Whenever none of them succeeds, it halves the
// batch size.
func (e *endpoint) retry(ctx context.Context, calls []*call) error {
	failed := retryable(calls)
	for size := len(failed); len(failed) > 0; {
		limited := slices.IndexFunc(failed, func(c *call) bool { return rpcerror.KindOf(c.err) == rpcerror.Rate })
		if limited >= 0 {
			if err := e.o.Sleep(ctx, max(rpcerror.InfoOf(failed[limited].err).After, e.o.MinRest)); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(failed, min(size, len(failed))) {
			if err := e.sendAll(ctx, part, false); err != nil {
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

// retryable returns the calls that may succeed when repeated: those that failed
// temporarily, and those that got no answer or failed for an unknown reason while others
// in the batch succeeded. The last excludes eth_getLogs, because a smaller range is tried next.
func retryable(calls []*call) (failed []*call) {
	succeeded := slices.ContainsFunc(calls, func(c *call) bool { return c.err == nil })
	for _, c := range calls {
		switch rpcerror.KindOf(c.err) {
		case rpcerror.Temporary, rpcerror.Rate:
			failed = append(failed, c)
		case rpcerror.Slow:
			if succeeded {
				failed = append(failed, c)
			}
		case rpcerror.Refused:
			if succeeded && c.method != "eth_getLogs" {
				failed = append(failed, c)
			}
		}
	}
	return failed
}

// batchError returns the error of a call that is about its whole batch, or nil. If a
// batch is too large, geth answers only its first call. Reverts are skipped, because
// their text is the contract's.
func batchError(calls []*call) error {
	for _, c := range calls {
		if rpcerror.KindOf(c.err) == rpcerror.Batch && !rpcerror.IsRevert(c.err) {
			return c.err
		}
	}
	return nil
}
