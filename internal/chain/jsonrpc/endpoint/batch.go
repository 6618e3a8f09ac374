package endpoint

import (
	"cmp"
	"context"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
)

// Do sends calls in batches as large as the endpoint accepts, and sets the result or
// err of each. Only the calls that failed are sent again, so that one failure does not
// cost the other results. It fails if a batch as a whole fails, if the answers are larger
// than [settings.Options.MaxBody], or if ctx ends.
func (e *Endpoint) Do(ctx context.Context, calls ...*Call) error {
	slot.Of(ctx).Forget()
	if err := e.sendAll(ctx, calls, false); err != nil || len(calls) == 1 {
		return err
	}
	return e.retry(ctx, calls)
}

// Ask is [Endpoint.Do] for calls that must all succeed. Of several errors it returns
// the first that is not about a lost answer, if any.
func (e *Endpoint) Ask(ctx context.Context, calls ...*Call) error {
	return cmp.Or(e.Do(ctx, calls...), FirstError(calls))
}

// sendAll sends each call once, or again in smaller batches if its batch fails. healthy
// means that the endpoint has just answered a single call.
func (e *Endpoint) sendAll(ctx context.Context, calls []*Call, healthy bool) error {
	for len(calls) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(e.limits.next(), len(calls))
		err := e.Send(ctx, calls[:n])
		if err == nil && n > 1 {
			err = batchError(calls[:n])
		}
		info := rpcerror.InfoOf(err)
		switch kind := info.Kind; {
		case err == nil:
			e.limits.arrived(n)
		case n == 1:
			return err
		case kind == rpcerror.Batch:
			e.limits.allow(n / 2)
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
			e.limits.lost(n)
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
func (e *Endpoint) sendHalves(ctx context.Context, calls []*Call, kind rpcerror.Kind) error {
	half := len(calls) / 2
	for _, part := range [][]*Call{calls[:half], calls[half:]} {
		err := e.sendAll(ctx, part, true)
		if again := rpcerror.KindOf(err); len(part) == 1 && (again == rpcerror.Size || again == rpcerror.Refused || again == rpcerror.Unsupported) {
			part[0].Err, err = err, nil
		}
		if err != nil {
			return err
		}
	}
	// Other errors say nothing about batch sizes.
	if (kind == rpcerror.Refused || kind == rpcerror.Unsupported) && FirstError(calls) == nil {
		e.limits.allow(half)
	}
	return nil
}

// answersAlone sends one or two calls of a refused batch alone. It fails if both fail:
// then the endpoint is unhealthy, and the batch was not the cause. One alone may fail
// because of the call.
func (e *Endpoint) answersAlone(ctx context.Context, calls []*Call) error {
	err := e.Send(ctx, calls[:1])
	if err != nil && ctx.Err() == nil {
		err = e.Send(ctx, calls[1:2])
	}
	// The calls are sent again.
	slot.Of(ctx).Forget()
	return err
}

// retry repeats the [retryable] calls. Whenever none of them succeeds, it halves the
// batch size.
func (e *Endpoint) retry(ctx context.Context, calls []*Call) error {
	failed := retryable(calls)
	for size := len(failed); len(failed) > 0; {
		limited := slices.IndexFunc(failed, func(c *Call) bool { return rpcerror.KindOf(c.Err) == rpcerror.Rate })
		if limited >= 0 {
			if err := e.o.Sleep(ctx, max(rpcerror.InfoOf(failed[limited].Err).After, e.o.MinRest)); err != nil {
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
func retryable(calls []*Call) (failed []*Call) {
	succeeded := slices.ContainsFunc(calls, func(c *Call) bool { return c.Err == nil })
	for _, c := range calls {
		switch rpcerror.KindOf(c.Err) {
		case rpcerror.Temporary, rpcerror.Rate:
			failed = append(failed, c)
		case rpcerror.Slow:
			if succeeded {
				failed = append(failed, c)
			}
		case rpcerror.Refused:
			if succeeded && c.Method != "eth_getLogs" {
				failed = append(failed, c)
			}
		}
	}
	return failed
}
