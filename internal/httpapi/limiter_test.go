package httpapi_test

import (
	"context"
	"fmt"
	"runtime"
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

// TestLimiter_SmallBehindLarge: of a small and a large operation that wait, the one
// of the client with less work runs first.
func TestLimiter_SmallBehindLarge(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(2, 1, time.Hour)}
	l.limiter.Enter(t.Context(), one, httpapi.LargeCost-1).Leave()
	large := l.limiter.Enter(t.Context(), three, httpapi.LargeCost)
	l.add(t.Context(), two, httpapi.LargeCost)
	small := l.limiter.Enter(t.Context(), "10.0.0.4", 1)
	l.add(t.Context(), one, 10)
	large.Leave()
	if got, want := l.order(), fmt.Sprintf("2:%d 1:10", httpapi.LargeCost); got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	small.Leave()
}

// TestLimiter_LateClient: a client that comes late does not queue behind the work that
// small operations had done while a large one waited.
func TestLimiter_LateClient(t *testing.T) {
	const four = "10.0.0.4"
	l := &line{limiter: httpapi.NewLimiter(2, 1, time.Hour)}
	l.limiter.Enter(t.Context(), four, httpapi.LargeCost-1_000).Leave()
	large := l.limiter.Enter(t.Context(), one, httpapi.LargeCost)
	l.add(t.Context(), two, httpapi.LargeCost)
	small := l.limiter.Enter(t.Context(), one, 10)
	l.add(t.Context(), four, 20)
	l.add(t.Context(), three, 30)
	small.Leave()
	for l.limiter.Waiting() > 1 {
		// The two small ones are on their way.
	}
	large.Leave()
	if got := l.order(); !strings.HasPrefix(got, "3:30 ") {
		t.Errorf("ran %s, want 3 first", got)
	}
}

// TestLimiter_Raised: an operation that turns out to be large makes way for those
// that waited longer.
func TestLimiter_Raised(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(1, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), one, 1)
	l.add(t.Context(), two, httpapi.LargeCost)
	l.add(t.Context(), three, 10)
	first.Leave()
	if got, want := l.order(), fmt.Sprintf("3:10 2:%d", httpapi.LargeCost); got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// TestLimiter_Rejected: rejected operations count as no work of their client.
func TestLimiter_Rejected(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &line{limiter: httpapi.NewLimiter(1, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), one, 1)
	l.limiter.Enter(ctx, two, 1)
	l.add(t.Context(), two, 20)
	l.add(t.Context(), three, 30)
	first.Leave()
	if got, want := l.order(), "2:20 3:30"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// TestLimiter_LargeSlots: small operations keep a processor, and large ones get a
// slot even where there is only one.
func TestLimiter_LargeSlots(t *testing.T) {
	for _, test := range []struct{ processors, slots, want int }{{1, 4, 1}, {2, 4, 1}, {4, 4, 3}, {8, 4, 3}, {4, 8, 3}, {4, 1, 1}} {
		before := runtime.GOMAXPROCS(test.processors)
		got := httpapi.LargeSlots(test.slots)
		runtime.GOMAXPROCS(before)
		if got != test.want {
			t.Errorf("%d of %d slots on %d processors, want %d", got, test.slots, test.processors, test.want)
		}
	}
}

// TestLimiter_Full: when too many wait, an operation of the client with the
// most of them is refused.
func TestLimiter_Full(t *testing.T) {
	l := &line{limiter: httpapi.NewLimiter(1, 1, time.Hour)}
	first := l.limiter.Enter(t.Context(), one, 1)
	l.add(t.Context(), three, 1)
	for range httpapi.MaxWaiting - 2 {
		l.add(t.Context(), one, 1)
	}
	l.add(t.Context(), one, 2) // It is the last in the queue.
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
	if !strings.HasPrefix(got, "2  1 refused: ") || strings.Count(got, "refused") != 1 || strings.Count(got, "1:1") != httpapi.MaxWaiting-2 || strings.Contains(got, "1:2") {
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

// TestLimiter_ForgetsClients: of many clients, those without an operation are
// forgotten, the others are not.
func TestLimiter_ForgetsClients(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &line{limiter: httpapi.NewLimiter(2, 1, time.Hour)}
	busy := l.limiter.Enter(t.Context(), one, httpapi.LargeCost-1)
	many := func(ctx context.Context, network int) {
		for i := range 2 * httpapi.MaxFlows {
			l.limiter.Enter(ctx, fmt.Sprintf("10.%d.%d.%d", network, i/256, i%256), 0).Leave()
		}
		if n := l.limiter.Flows(); n > httpapi.MaxFlows {
			t.Errorf("network %d: %d clients are known", network, n)
		}
	}
	many(t.Context(), 1)
	full := l.limiter.Enter(t.Context(), two, 1)
	many(ctx, 2) // They are rejected.
	l.add(t.Context(), one, 10)
	l.add(t.Context(), three, 20)
	full.Leave()
	if got, want := l.order(), "3:20 1:10"; got != want {
		t.Errorf("ran %s, want %s: the work of a client with an operation is remembered", got, want)
	}
	busy.Leave()
}
