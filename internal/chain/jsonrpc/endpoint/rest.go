package endpoint

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/secret"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/retrying"
)

// Health is the state of an endpoint.
type Health struct {
	// LastError is the class of the latest failed call, see [rpcerror.Class], or empty. It
	// includes failures that only lead to smaller ranges. LastFailure is its text,
	// without credentials but in the provider's words: use it for logs only.
	LastError, LastFailure string
	// Latency is a moving average over answered requests, 0 before the first.
	Latency time.Duration
	// Down is true from a failure until the next answer. One rejected call is an answer.
	Down bool
	// RestUntil is the end of the pause after a failure, or of one that the endpoint
	// requested; zero when the endpoint is ready.
	RestUntil time.Time
}

// Rest decides when an endpoint may be called.
type Rest struct {
	o       *settings.Options
	secrets secret.Secrets
	limited atomic.Bool // see Limited

	// mu guards everything below.
	mu       sync.Mutex
	failures int       // since the last answer
	rest     time.Time // no calls before this time
	probeAt  time.Time // end of the rest if no other endpoint answers
	shown    Health
}

// Health returns the endpoint's state.
func (r *Rest) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	shown := r.shown
	if r.rest.After(r.o.Now()) {
		shown.RestUntil = r.rest
	}
	return shown
}

// Resting reports whether the endpoint may not be called now.
func (r *Rest) Resting() bool { return !r.Health().RestUntil.IsZero() }

// Failing reports whether the endpoint failed since its last answer.
func (r *Rest) Failing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures > 0
}

// Limited reports whether the endpoint refused a call since the last report, because there
// were too many.
func (r *Rest) Limited() bool { return r.limited.Swap(false) }

// Answered resets the failure count and the pause.
func (r *Rest) Answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures, r.rest, r.probeAt, r.shown.Down = 0, time.Time{}, time.Time{}, false
}

// While no endpoint answers, each is probed every [probeEvery] at the latest. A probe must be
// answered within [probeTimeout]. Together they are less than 10 seconds, the time within
// which a follower continues after an endpoint recovers.
const (
	probeEvery   = 5 * time.Second
	probeTimeout = 4 * time.Second
)

// Ready reports whether the endpoint may be called. The caller then probes an endpoint that
// is down; until the probe has ended, the endpoint is not ready for other callers.
func (r *Rest) Ready() bool {
	now := r.o.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Before(r.rest) {
		return false
	}
	if r.shown.Down {
		r.rest = now.Add(probeTimeout)
		r.probeAt = r.rest
	}
	return true
}

// ProbeAt returns the time at which the endpoint may be probed if no other one answers.
func (r *Rest) ProbeAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.probeAt
}

// EndRest ends the rest at the time that [Rest.ProbeAt] returned.
func (r *Rest) EndRest(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Another caller may already probe it.
	if r.probeAt == at {
		r.rest = at
	}
}

// Failed makes the endpoint rest: longer with each failure, and at least as long as the
// endpoint requested. If no other endpoint answers, the rest ends after [probeEvery], unless
// the endpoint requested a longer one.
func (r *Rest) Failed(err error) {
	info := rpcerror.InfoOf(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	wait := retrying.Jitter(retrying.Backoff(r.o.MinRest, r.o.MaxRest, r.failures), r.o.Random())
	r.failures++
	now := r.o.Now()
	r.rest, r.probeAt = now.Add(max(wait, info.After)), now.Add(max(min(wait, probeEvery), info.After))
	// A single error may be about the call.
	r.shown.Down = r.shown.Down || r.failures > 1 || !rpcerror.IsNoData(err)
	r.shown.failed(r.secrets.Hidden(err))
}

// NoteError records an error that makes the endpoint no less usable.
func (r *Rest) NoteError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown.failed(err)
}

// failed records the latest error.
func (h *Health) failed(err error) { h.LastError, h.LastFailure = rpcerror.Class(err), err.Error() }

// note records the latency and errors of one request.
func (r *Rest) note(calls []*Call, err error, took time.Duration) {
	limits := func(c *Call) bool { return rpcerror.KindOf(c.Err) == rpcerror.Rate }
	if rpcerror.KindOf(err) == rpcerror.Rate || slices.ContainsFunc(calls, limits) {
		r.limited.Store(true)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.shown.failed(err)
	} else {
		if r.shown.Latency == 0 {
			r.shown.Latency = took
		}
		r.shown.Latency += (took - r.shown.Latency) / 8
	}
	for _, c := range calls {
		if c.Err != nil {
			r.shown.failed(c.Err)
		}
	}
}
