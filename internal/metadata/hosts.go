package metadata

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// hosts limits the concurrent requests, in total and to each host, and the rate of requests
// to a host.
type hosts struct {
	o *FetcherOptions
	// total bounds all concurrent requests.
	total *semaphore.Weighted

	// mu guards byName and the hosts in it.
	mu     sync.Mutex
	byName map[string]*host
}

// host is a host that is in use, or has been in use recently.
type host struct {
	// running counts the requests that run or are about to.
	running int
	// waiting are the callers that wait for a slot, the next first.
	waiting []*waiter
	// most is the maximum number of waiting callers once shed has removed some, until none
	// waits; 0 means any number.
	most int
	// took is how long the last request took, and later when the last removed caller may
	// come back.
	took  time.Duration
	later time.Time
	// next is when the next request would begin if requests were spread evenly.
	next time.Time
	// until is the end of the pause that the host asked for.
	until time.Time
}

// waiter is a caller that waits for a slot of a host.
type waiter struct {
	due int64
	// ready receives nil with the slot, or the failure of a caller that must not wait.
	ready chan error
}

// At sweepAt hosts, unused ones are dropped that have not asked for a pause, and at maxHosts
// all unused ones.
const sweepAt, maxHosts = 1024, 10_000

// enter waits until a request to a host may begin. The caller must call leave when the
// request ends. The rate limit applies only if paced is set. Among waiting callers, that with
// the lowest due goes first. enter calls admit as soon as it has a slot for the host. It fails
// with the error of ctx or admit, or with a failure while the host rests for longer than
// maxPause or has too many waiting callers.
func (h *hosts) enter(ctx context.Context, name string, paced bool, due int64, admit func() error) (leave func(), err error) {
	one, err := h.join(ctx, name, due)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.part(name, one)
		}
	}()
	if err := h.awake(ctx, one); err != nil {
		return nil, err
	}
	if err := admit(); err != nil {
		return nil, err
	}
	if paced {
		if err := h.o.Sleep(ctx, h.reserve(one)); err != nil {
			return nil, err
		}
	}
	if err := h.total.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	began := h.o.Now()
	return func() {
		h.total.Release(1)
		h.mu.Lock()
		one.took = h.o.Now().Sub(began)
		h.mu.Unlock()
		h.part(name, one)
	}, nil
}

// join waits for a slot of a host.
func (h *hosts) join(ctx context.Context, name string, due int64) (*host, error) {
	h.mu.Lock()
	one := h.byName[name]
	if one == nil {
		if len(h.byName) >= sweepAt {
			// If a dropped host is used again, its requests begin at most a second too
			// early.
			now, full := h.o.Now(), len(h.byName) >= maxHosts
			maps.DeleteFunc(h.byName, func(_ string, one *host) bool { return one.running == 0 && (full || !one.until.After(now)) })
		}
		one = new(host)
		h.byName[name] = one
	}
	if one.running < h.o.PerHost {
		one.running++
		h.mu.Unlock()
		return one, nil
	}
	w := &waiter{due, make(chan error, 1)}
	at, _ := slices.BinarySearchFunc(one.waiting, w, func(a, b *waiter) int { return cmp.Or(cmp.Compare(a.due, b.due), -1) })
	one.waiting = slices.Insert(one.waiting, at, w)
	if one.most > 0 && len(one.waiting) > one.most {
		h.remove(one)
	}
	h.mu.Unlock()
	select {
	case err := <-w.ready:
		return one, err
	case <-ctx.Done():
	}
	h.mu.Lock()
	if i := slices.Index(one.waiting, w); i >= 0 {
		one.waiting = slices.Delete(one.waiting, i, i+1)
		h.mu.Unlock()
	} else {
		h.mu.Unlock()
		if <-w.ready == nil {
			h.part(name, one)
		}
	}
	return nil, ctx.Err()
}

// part returns a slot, to the next caller if one waits.
func (h *hosts) part(name string, one *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(one.waiting) > 0 {
		one.waiting[0].ready <- nil
		one.waiting = slices.Delete(one.waiting, 0, 1)
		return
	}
	one.most = 0
	one.running--
	if now := h.o.Now(); one.running == 0 && !one.next.After(now) && !one.until.After(now) {
		delete(h.byName, name)
	}
}

// shed removes up to n waiting callers, always from the host with the most. Until no caller
// waits for that host, it accepts no more than are left.
func (h *hosts) shed(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range n {
		var most *host
		for _, one := range h.byName {
			if len(one.waiting) > 1 && (most == nil || len(one.waiting) > len(most.waiting)) {
				most = one
			}
		}
		if most == nil {
			return
		}
		h.remove(most)
	}
}

// remove removes the last waiting caller of a host. It may come back when the host has
// answered those before it, at the speed of its last answer.
func (h *hosts) remove(one *host) {
	now, pace := h.o.Now(), max(cmp.Or(one.took, time.Second)/time.Duration(h.o.PerHost), time.Duration(float64(time.Second)/h.o.HostRate))
	last := len(one.waiting) - 1
	if begin := now.Add(time.Duration(last) * pace); one.later.Before(begin) {
		one.later = begin
	}
	one.later = one.later.Add(pace)
	failure := temporary("not tried: the host is busy")
	failure.After, failure.skipped, failure.busy = min(one.later.Sub(now), maxAfter), true, true
	one.waiting[last].ready <- failure
	one.waiting, one.most = one.waiting[:last], max(last, 1)
}

// rest makes a host in use rest for a pause that it asked for.
func (h *hosts) rest(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := h.o.Now().Add(pause); until.After(h.byName[name].until) {
		h.byName[name].until = until
	}
}

// awake waits until a host no longer rests. It returns a failure if that takes longer than
// maxPause.
func (h *hosts) awake(ctx context.Context, one *host) error {
	for {
		h.mu.Lock()
		rest := one.until.Sub(h.o.Now())
		h.mu.Unlock()
		if rest <= 0 {
			return nil
		}
		if rest > maxPause {
			failure := temporary("not tried: the host asked for a pause")
			failure.After, failure.skipped = rest, true
			return failure
		}
		if err := h.o.Sleep(ctx, rest); err != nil {
			return err
		}
	}
}

// reserve returns how long to wait before the next request to a host. It allows a
// burst of one second's requests.
func (h *hosts) reserve(one *host) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	if one.next.Before(now) {
		one.next = now
	}
	wait := max(0, one.next.Sub(now)-time.Second)
	one.next = one.next.Add(time.Duration(float64(time.Second) / h.o.HostRate))
	return wait
}
