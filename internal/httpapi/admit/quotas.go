package admit

import (
	"container/list"
	"context"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mintburn/internal/httpapi/failure"
)

// Header fields that report a quota, from the IETF draft ratelimit-headers.
const (
	RateLimit       = "Ratelimit"
	RateLimitPolicy = "Ratelimit-Policy"
)

// quotas stores the remaining quotas of a bounded number of clients. It forgets the client
// that was not seen for the longest time, because its quota is full again after a minute
// anyway.
type quotas struct {
	most int

	mu      sync.Mutex // guards the fields below
	entries map[netip.Addr]*list.Element
	// order has a bucket for each client, the most recently seen one in front.
	order list.List
}

// bucket is a client's remaining quota, which refills within a minute.
type bucket struct {
	client netip.Addr
	quota  int
	left   *rate.Limiter
}

func newQuotas(most int) *quotas {
	return &quotas{most: most, entries: map[netip.Addr]*list.Element{}}
}

// spend deducts a cost from a client's quota, unless less than that is left. It returns the
// rest, the time until the quota is full, and, if nothing was deducted, the time until whole
// units are left: the cost of the same request when it is sent again.
func (q *quotas) spend(client netip.Addr, quota, cost, whole int, now time.Time) (left int, full, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.of(client, quota, now)
	taken := b.left.AllowN(now, cost)
	tokens := b.left.TokensAt(now)
	if !taken {
		wait = max(1, fillTime(float64(whole)-tokens, quota))
	}
	return int(max(0, tokens)), fillTime(float64(quota)-tokens, quota), wait
}

// of returns the bucket of a client. The caller must hold mu.
func (q *quotas) of(client netip.Addr, quota int, now time.Time) *bucket {
	perSecond := rate.Limit(float64(quota) / time.Minute.Seconds())
	if known, ok := q.entries[client]; ok {
		q.order.MoveToFront(known)
		b := known.Value.(*bucket)
		if b.quota != quota {
			// The key's line in the key file has changed.
			b.left.SetLimitAt(now, perSecond)
			b.left.SetBurstAt(now, quota)
			b.quota = quota
		}
		return b
	}
	if len(q.entries) == q.most {
		last := q.order.Back()
		delete(q.entries, q.order.Remove(last).(*bucket).client)
	}
	b := &bucket{client, quota, rate.NewLimiter(perSecond, quota)}
	q.entries[client] = q.order.PushFront(b)
	return b
}

// fillTime returns how long a quota takes to refill by a number of units.
func fillTime(units float64, quota int) time.Duration {
	return time.Duration(math.Round(max(0, units) / float64(quota) * float64(time.Minute)))
}

// Charge deducts the cost of an admitted request from its caller's quota, less what
// [Callers.Admit] has charged. It returns an error with status 429, and deducts nothing, if less
// than the cost is left.
func (a *Callers) Charge(ctx context.Context, cost int) *failure.Error {
	return a.spend(callerOf(ctx), max(0, cost-admission), cost)
}

// spend deducts a cost from a caller's quota, for a request that costs whole in total. It sets
// the response headers that report the remaining quota.
func (a *Callers) spend(known *caller, cost, whole int) *failure.Error {
	if known.quota == 0 {
		return nil
	}
	left, full, wait := known.quotas.spend(known.client, known.quota, cost, whole, a.Now())
	if known.header != nil {
		known.header.Set(RateLimitPolicy, fmt.Sprintf(`"default";q=%d;w=60`, known.quota))
		known.header.Set(RateLimit, fmt.Sprintf(`"default";r=%d;t=%s`, left, seconds(full)))
	}
	if wait > 0 {
		return overQuota(known.quota, seconds(wait))
	}
	return nil
}

// seconds formats a duration in seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}
