package execute

import (
	"context"
	"sync/atomic"
	"time"

	"mintburn/internal/httpapi/admit"
)

// Chain is a chain whose data operations read from a database.
type Chain struct {
	// Name is "" for a server's only chain that has none.
	Name string
	// Limiter bounds how many operations run at once. Several chains have one each, so that none takes
	// the slots of the others.
	Limiter *admit.Limiter
	// Proofs bounds the operations that wait for a node, which take no slots of the others.
	Proofs *admit.Limiter
	outage outage
}

// An operation whose database is unavailable is retried until the outage has lasted maxOutage, and
// one that is ahead of a standby for maxBehind. The first wait lasts firstWait, and each further one
// twice as long.
const (
	maxOutage = 2 * time.Second
	maxBehind = 250 * time.Millisecond
	firstWait = 20 * time.Millisecond
)

// outage measures how long a database has been unavailable. All its operations share it, so that
// later ones do not wait in their slots again.
type outage struct {
	// since is the time of the first failure in Unix nanoseconds, or 0.
	since atomic.Int64
}

// end records that the database is available again.
func (o *outage) end() {
	if o.since.Load() != 0 {
		o.since.Store(0)
	}
}

// wait records that the database is unavailable, waits, and reports whether to retry: for most at
// the longest.
func (o *outage) wait(ctx context.Context, d, most time.Duration) bool {
	now := time.Now()
	o.since.CompareAndSwap(0, now.UnixNano())
	left := most - now.Sub(time.Unix(0, o.since.Load()))
	if left <= 0 {
		return false
	}
	select {
	case <-time.After(min(d, left)):
		return true
	case <-ctx.Done():
		return false
	}
}
