package endpoint

import (
	"slices"
	"sync"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
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

// health decides when an endpoint may be called.
type health struct {
	o *settings.Options

	// mu guards everything below.
	mu       sync.Mutex
	failures int       // since the last answer
	rest     time.Time // no calls before this time
	probeAt  time.Time // end of the rest if no other endpoint answers
	limited  bool      // see Limited
	shown    Health
}

// Health returns the endpoint's state.
func (h *health) Health() Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	shown := h.shown
	if h.rest.After(h.o.Now()) {
		shown.RestUntil = h.rest
	}
	return shown
}

// Resting reports whether the endpoint may not be called now.
func (h *health) Resting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.o.Now().Before(h.rest)
}

// Failing reports whether the endpoint failed since its last answer.
func (h *health) Failing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures > 0
}

// Limited reports whether the endpoint refused a call since the last report, because there
// were too many.
func (h *health) Limited() (limited bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	limited, h.limited = h.limited, false
	return limited
}

// Answered resets the failure count and the pause.
func (h *health) Answered() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.rest, h.probeAt, h.shown.Down = 0, time.Time{}, time.Time{}, false
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
func (h *health) Ready() bool {
	now := h.o.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.rest) {
		return false
	}
	if h.shown.Down {
		h.rest = now.Add(probeTimeout)
		h.probeAt = h.rest
	}
	return true
}

// ProbeAt returns the time at which the endpoint may be probed if no other one answers.
func (h *health) ProbeAt() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.probeAt
}

// EndRest ends the rest at the time that [health.ProbeAt] returned.
func (h *health) EndRest(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// Another caller may already probe it.
	if h.probeAt == at {
		h.rest = at
	}
}

// fail makes the endpoint rest: longer with each failure, and at least as long as the
// endpoint requested. If no other endpoint answers, the rest ends after [probeEvery], unless
// the endpoint requested a longer one. hidden is err without credentials.
func (h *health) fail(err, hidden error) {
	info := rpcerror.InfoOf(err)
	h.mu.Lock()
	defer h.mu.Unlock()
	wait := retrying.Jitter(retrying.Backoff(h.o.MinRest, h.o.MaxRest, h.failures), h.o.Random())
	h.failures++
	now := h.o.Now()
	h.rest, h.probeAt = now.Add(max(wait, info.After)), now.Add(max(min(wait, probeEvery), info.After))
	// A single error may be about the call.
	h.shown.Down = h.shown.Down || h.failures > 1 || !rpcerror.IsNoData(err)
	h.shown.failed(hidden)
}

// Show records an error that makes the endpoint no less usable.
func (h *health) Show(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown.failed(err)
}

// failed records the latest error.
func (h *Health) failed(err error) { h.LastError, h.LastFailure = rpcerror.Class(err), err.Error() }

// note records the latency and errors of one request.
func (h *health) note(calls []*Call, err error, took time.Duration) {
	limits := func(c *Call) bool { return rpcerror.KindOf(c.Err) == rpcerror.Rate }
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limited = h.limited || rpcerror.KindOf(err) == rpcerror.Rate || slices.ContainsFunc(calls, limits)
	if err != nil {
		h.shown.failed(err)
	} else {
		if h.shown.Latency == 0 {
			h.shown.Latency = took
		}
		h.shown.Latency += (took - h.shown.Latency) / 8
	}
	for _, c := range calls {
		if c.Err != nil {
			h.shown.failed(c.Err)
		}
	}
}
