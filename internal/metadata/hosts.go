package metadata

import (
	"context"
	"maps"
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
	// slots bounds the requests that run or are about to.
	slots *semaphore.Weighted
	// users counts the callers that have a slot or wait for one.
	users int
	// next is when the next request would begin if requests were spread evenly.
	next time.Time
	// until is the end of the pause that the host asked for.
	until time.Time
}

// At sweepAt hosts, unused ones are dropped that have not asked for a pause, and at maxHosts
// all unused ones.
const sweepAt, maxHosts = 1024, 10_000

// enter waits until a request to a host may begin. The caller must call leave when the
// request ends. The rate limit applies only if paced is set. enter calls admit as soon as
// it has a slot for the host. It fails with the error of ctx or admit, or with a failure
// while the host rests for longer than maxPause.
func (h *hosts) enter(ctx context.Context, name string, paced bool, admit func() error) (leave func(), err error) {
	one := h.join(name)
	if err := one.slots.Acquire(ctx, 1); err != nil {
		h.part(name, one)
		return nil, err
	}
	free := func() {
		one.slots.Release(1)
		h.part(name, one)
	}
	defer func() {
		if err != nil {
			free()
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
	return func() {
		h.total.Release(1)
		free()
	}, nil
}

func (h *hosts) join(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.byName[name]
	if one == nil {
		if len(h.byName) >= sweepAt {
			// If a dropped host is used again, its requests begin at most a second too
			// early.
			now, full := h.o.Now(), len(h.byName) >= maxHosts
			maps.DeleteFunc(h.byName, func(_ string, one *host) bool { return one.users == 0 && (full || !one.until.After(now)) })
		}
		one = &host{slots: semaphore.NewWeighted(int64(h.o.PerHost))}
		h.byName[name] = one
	}
	one.users++
	return one
}

func (h *hosts) part(name string, one *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.o.Now(); one.users == 1 && !one.next.After(now) && !one.until.After(now) {
		delete(h.byName, name)
	}
	one.users--
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
