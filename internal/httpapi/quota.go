package httpapi

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
)

// The header fields that show a quota: the draft ratelimit-headers of the IETF.
const rateLimit, rateLimitPolicy = "Ratelimit", "Ratelimit-Policy"

// quotas has what clients have left of their quotas. It knows at most so many, and
// forgets the one that was not seen for the longest time: its quota is whole after a
// minute anyway.
type quotas struct {
	most int

	mu      sync.Mutex // guards what follows
	entries map[netip.Addr]*list.Element
	// order has a bucket for each client, the last seen one in front.
	order list.List
}

// bucket is what a client has left: a quota that fills in a minute.
type bucket struct {
	client netip.Addr
	quota  int
	left   *rate.Limiter
}

func newQuotas(most int) *quotas {
	return &quotas{most: most, entries: map[netip.Addr]*list.Element{}}
}

// spend takes a cost from what a client has left, unless that is less. It returns what is
// left then, the time until all of the quota is, and if the cost was not taken, the time
// until whole units are left: what the request costs when it comes again.
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

// of returns the bucket of a client; the caller must hold mu.
func (q *quotas) of(client netip.Addr, quota int, now time.Time) *bucket {
	perSecond := rate.Limit(float64(quota) / time.Minute.Seconds())
	if known, ok := q.entries[client]; ok {
		q.order.MoveToFront(known)
		b := known.Value.(*bucket)
		if b.quota != quota {
			// The key has another line now.
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

// fillTime returns how long a quota takes to fill by so much.
func fillTime(units float64, quota int) time.Duration {
	return time.Duration(math.Round(max(0, units) / float64(quota) * float64(time.Minute)))
}

// charge takes the cost of an admitted request from the quota of its caller, or returns
// the error that it is spent.
func (a *access) charge(ctx context.Context, cost int) *requestError {
	return a.spend(callerOf(ctx), max(0, cost-admission), cost)
}

// spend takes a cost from the quota of a caller, for a request that costs whole. It sets the
// headers of the response that show what is left.
func (a *access) spend(known *caller, cost, whole int) *requestError {
	if known.quota == 0 {
		return nil
	}
	left, full, wait := known.quotas.spend(known.client, known.quota, cost, whole, a.Now())
	known.header.Set(rateLimitPolicy, fmt.Sprintf(`"default";q=%d;w=60`, known.quota))
	known.header.Set(rateLimit, fmt.Sprintf(`"default";r=%d;t=%s`, left, seconds(full)))
	if wait > 0 {
		return overQuota(known.quota, seconds(wait))
	}
	return nil
}

// seconds rounds up to seconds.
func seconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}
