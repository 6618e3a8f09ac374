package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Limiter lets operations run.
type Limiter struct{ limiter *limiter }

// NewLimiter returns a limiter with numbers of slots.
func NewLimiter(slots, largeSlots int, maxWait time.Duration) Limiter {
	l := newLimiter(slots, maxWait, newLimiterMetrics(promauto.With(nil)))
	l.largeSlots = largeSlots
	return Limiter{l}
}

// Slot is what an operation runs in.
type Slot struct {
	slot   slot
	Failed string
}

// Enter waits for a slot for an operation of a cost.
func (l Limiter) Enter(ctx context.Context, client string, cost int) *Slot {
	taken := &Slot{}
	var failed *requestError
	taken.slot, failed = l.limiter.enter(ctx, netip.MustParseAddr(client))
	if failed == nil {
		failed = taken.slot.raise(ctx, cost)
	}
	if failed != nil {
		taken.Failed = failed.errors[0].Message
	}
	return taken
}

// Leave gives the slot back.
func (s *Slot) Leave() { s.slot.leave() }

// Waiting is how many operations wait.
func (l Limiter) Waiting() int { return l.limiter.waiting() }

// Running is how many operations run.
func (l Limiter) Running() int {
	l.limiter.mu.Lock()
	defer l.limiter.mu.Unlock()
	return l.limiter.running
}

// Flows is how many clients are known.
func (l Limiter) Flows() int { return len(l.limiter.flows) }

// What limiters are bound by.
const (
	LargeCost  = largeCost
	MaxWaiting = maxWaiting
	MaxFlows   = maxFlows
)

// ClientOf returns the client of a request behind trusted proxies.
func ClientOf(r *http.Request, log *slog.Logger, proxies ...string) (string, error) {
	c, err := newClients(proxies, log)
	if err != nil {
		return "", err
	}
	return c.of(r).String(), nil
}
