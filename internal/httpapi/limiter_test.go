package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/httpapi"
)

// line lets operations wait one after the other and notes in which order they
// run. Each leaves at once.
type line struct {
	limiter httpapi.Limiter
	mu      sync.Mutex // guards ran
	ran     []string
	all     sync.WaitGroup
}

// add lets an operation wait.
func (l *line) add(ctx context.Context, client string, cost int) {
	before := l.limiter.Waiting()
	l.all.Go(func() {
		s := l.limiter.Enter(ctx, client, cost)
		l.mu.Lock()
		if s.Failed == "" {
			l.ran = append(l.ran, fmt.Sprintf("%s:%d", client[len(client)-1:], cost))
		} else {
			l.ran = append(l.ran, client[len(client)-1:]+" refused: "+s.Failed)
		}
		l.mu.Unlock()
		s.Leave()
	})
	for l.limiter.Waiting() == before {
		// It is on its way.
	}
}

// order returns in which order the operations ran.
func (l *line) order() string {
	l.all.Wait()
	return strings.Join(l.ran, " ")
}

const one, two, three = "10.0.0.1", "10.0.0.2", "10.0.0.3"

// TestLimiter_TakesTurns: the operations of one client wait behind those of
// others that have got less.
func TestLimiter_TakesTurns(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(1, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), one, 1_000)
	for range 3 {
		l.add(t.Context(), one, 10)
	}
	l.add(t.Context(), two, 20)
	l.add(t.Context(), three, 30)
	l.add(t.Context(), two, 21)
	first.Leave()
	if got, want := l.order(), "2:20 3:30 2:21 1:10 1:10 1:10"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	if n := l.limiter.Running(); n != 0 {
		t.Errorf("%d run at the end", n)
	}
}

// TestLimiter_ByCost: clients get the same work, not the same number of
// operations.
func TestLimiter_ByCost(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(2, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), three, httpapi.LargeCost)
	for i := range 2 {
		l.add(t.Context(), one, 50_000+i)
	}
	for i := range 3 {
		l.add(t.Context(), two, 10_000+i)
	}
	first.Leave()
	if got, want := l.order(), "1:50000 2:10000 2:10001 2:10002 1:50001"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// TestLimiter_SmallBesideLarge: small operations, of any client, do not wait
// until large ones have ended; and a client that others leave alone gets all
// slots.
func TestLimiter_SmallBesideLarge(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(3, 2, time.Hour)}
	large := []*httpapi.Slot{l.limiter.Enter(t.Context(), one, httpapi.LargeCost), l.limiter.Enter(t.Context(), one, 9*httpapi.LargeCost)}
	l.add(t.Context(), one, httpapi.LargeCost)
	l.add(t.Context(), one, httpapi.LargeCost+1)
	for _, client := range []string{one, three} {
		small := l.limiter.Enter(t.Context(), client, httpapi.LargeCost-1)
		if small.Failed != "" || l.limiter.Running() != 3 {
			t.Errorf("%s: %q, %d run", client, small.Failed, l.limiter.Running())
		}
		small.Leave()
	}
	l.add(t.Context(), two, httpapi.LargeCost+2)
	large[0].Leave()
	if got, want := l.order(), fmt.Sprintf("1:%d 2:%d 1:%d", httpapi.LargeCost, httpapi.LargeCost+2, httpapi.LargeCost+1); got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	large[1].Leave()
}

// TestLimiter_Full: when too many wait, an operation of the client with the
// most of them is refused.
func TestLimiter_Full(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(1, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), one, 1)
	l.add(t.Context(), three, 1)
	for range httpapi.MaxWaiting - 1 {
		l.add(t.Context(), one, 1)
	}
	if s := l.limiter.Enter(t.Context(), one, 1); !strings.Contains(s.Failed, "too many operations wait") {
		t.Errorf("one more than may wait: %q", s.Failed)
	}
	// The queue stays full, so that its length does not tell when it is in.
	l.all.Go(func() {
		s := l.limiter.Enter(t.Context(), two, 1)
		l.mu.Lock()
		l.ran = append([]string{"2 " + s.Failed}, l.ran...)
		l.mu.Unlock()
		s.Leave()
	})
	refused := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.ran) > 0
	}
	for !refused() {
		// It is on its way.
	}
	first.Leave()
	got := l.order()
	if !strings.HasPrefix(got, "2  1 refused: ") || strings.Count(got, "refused") != 1 || strings.Count(got, "1:1") != httpapi.MaxWaiting-2 {
		t.Errorf("got %s", got)
	}
}

// TestLimiter_GivenUp: what is not wanted any more, or waited too long, leaves
// the queue.
func TestLimiter_GivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wait := range map[string]time.Duration{"cancelled": time.Hour, "too long": time.Nanosecond} {
		l := httpapi.NewLimiter(1, 1, wait)
		first := l.Enter(t.Context(), one, 1)
		if s := l.Enter(ctx, two, 1); !strings.Contains(s.Failed, "too many operations run") || l.Waiting() != 0 {
			t.Errorf("%s: %q, %d wait", name, s.Failed, l.Waiting())
		}
		first.Leave()
		if s := l.Enter(ctx, two, 1); s.Failed != "" || l.Running() != 1 {
			t.Errorf("%s: a free slot: %q, %d run", name, s.Failed, l.Running())
		}
	}
	// A refused large operation has given its small slot back.
	l := httpapi.NewLimiter(2, 1, time.Nanosecond)
	large := l.Enter(t.Context(), one, httpapi.LargeCost)
	refused := l.Enter(t.Context(), one, httpapi.LargeCost)
	refused.Leave()
	if large.Leave(); refused.Failed == "" || l.Running() != 0 {
		t.Errorf("%q, %d run", refused.Failed, l.Running())
	}
}

// TestLimiter_ForgetsClients that have nothing to do.
func TestLimiter_ForgetsClients(t *testing.T) {
	l := httpapi.NewLimiter(1, 1, time.Hour)
	for i := range 10 * httpapi.MaxFlows {
		l.Enter(t.Context(), fmt.Sprintf("10.0.%d.%d", i/256, i%256), 0).Leave()
	}
	if n := l.Flows(); n > httpapi.MaxFlows {
		t.Errorf("%d clients are known", n)
	}
}
