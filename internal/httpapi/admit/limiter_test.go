package admit

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"
)

// clientNumber returns the address of a test client.
func clientNumber(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }

// line queues operations one after the other and records the order in which they run. Each
// leaves at once.
type line struct {
	*Limiter
	noted sync.Mutex // guards ran
	ran   []string
	all   sync.WaitGroup
}

func newLine(slots, largeSlots int, maxWait time.Duration) *line {
	l := NewLimiter(slots, maxWait, NewLimiterMetrics(promauto.With(nil)))
	l.largeSlots = largeSlots
	return &line{Limiter: l}
}

// waiting returns how many operations wait.
func (l *line) waiting() int {
	_, waiting := l.state()
	return waiting
}

// hold takes a slot without waiting.
func (l *line) hold(t *testing.T, client byte, cost int) *Slot {
	t.Helper()
	s, failed := l.EnterFor(t.Context(), clientNumber(client), cost)
	if failed != nil {
		t.Errorf("client %d, cost %d: %s", client, cost, failed.Errors[0].Message)
	}
	return &s
}

// note takes a slot, records that, and leaves.
func (l *line) note(ctx context.Context, client byte, cost int) {
	s, failed := l.EnterFor(ctx, clientNumber(client), cost)
	how := fmt.Sprintf("%d:%d", client, cost)
	if failed != nil {
		how = fmt.Sprintf("%d rejected: %s", client, failed.Errors[0].Message)
	}
	l.noted.Lock()
	l.ran = append(l.ran, how)
	l.noted.Unlock()
	s.Leave()
}

// add queues an operation.
func (l *line) add(ctx context.Context, client byte, cost int) {
	before := l.waiting()
	l.all.Go(func() { l.note(ctx, client, cost) })
	for l.waiting() == before {
		// It is not queued yet.
	}
}

// inUse returns how many slots are taken.
func (l *line) inUse() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

// order returns the order in which the operations ran.
func (l *line) order() string {
	l.all.Wait()
	return strings.Join(l.ran, " ")
}

// TestLimiter_Order runs scripts of operations, each a client, an action and a cost. The
// actions are: = takes a slot at once, - releases it, ! takes and releases one, + queues, and
// x is rejected. A ~ waits until one operation is queued and one runs.
func TestLimiter_Order(t *testing.T) {
	if largeCost != 5_000 {
		t.Fatalf("the scripts are for large operations from 5000 on, not %d", largeCost)
	}
	for name, test := range map[string]struct {
		slots, largeSlots int
		script, want      string
	}{
		"operations of a client wait behind those of clients with less work": {1, 1,
			"1=1000 1+10 1+10 1+10 2+20 3+30 2+21 1-1000", "2:20 3:30 2:21 1:10 1:10 1:10"},
		"clients get the same work, not the same number of operations": {2, 1,
			"3=5000 1+50000 1+50001 2+10000 2+10001 2+10002 3-5000", "1:50000 2:10000 2:10001 2:10002 1:50001"},
		"small operations of any client do not wait for large ones": {3, 2,
			"1=5000 1=45000 1+5000 1+5001 1!4999 3!4999 2+5002 1-5000", "1:5000 2:5002 1:5001"},
		"a large operation runs before a small one of a client with more work": {2, 1,
			"1!4999 3=5000 2+5000 4=1 1+10 3-5000", "2:5000 1:10"},
		"a new client does not queue behind the work done while a large operation waited": {2, 1,
			"4!4000 1=5000 2+5000 1=10 4+20 3+30 1-10 ~ 1-5000", "3:30 4:20 2:5000"},
		"an operation that turns out to be large runs after those that waited longer": {1, 1,
			"1=1 2+5000 3+10 1-1", "3:10 2:5000"},
		"rejected operations count as no work of their client": {1, 1,
			"1=1 2x1 2+20 3+30 1-1", "2:20 3:30"},
	} {
		t.Run(name, func(t *testing.T) {
			l, held := newLine(test.slots, test.largeSlots, time.Hour), map[string]*Slot{}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for step := range strings.FieldsSeq(test.script) {
				var client byte
				var does rune
				var cost int
				_, _ = fmt.Sscanf(step, "%d%c%d", &client, &does, &cost)
				switch key := fmt.Sprint(client, ":", cost); does {
				case '=':
					held[key] = l.hold(t, client, cost)
				case '-':
					held[key].Leave()
				case '!':
					l.hold(t, client, cost).Leave()
				case '+':
					l.add(t.Context(), client, cost)
				case 'x':
					_, _ = l.EnterFor(ended, clientNumber(client), cost)
				default:
					for l.waiting() != 1 || l.inUse() != 1 {
						// The other operations are not queued or running yet.
					}
				}
			}
			if got := l.order(); got != test.want {
				t.Errorf("ran %s, want %s", got, test.want)
			}
			for _, s := range held {
				s.Leave()
			}
			if n := l.inUse(); n != 0 {
				t.Errorf("%d run at the end", n)
			}
		})
	}
}

// TestLimiter_LargeSlots checks that one processor is left for small operations, and that
// large ones get a slot even if there is only one.
func TestLimiter_LargeSlots(t *testing.T) {
	for _, test := range []struct{ processors, slots, want int }{{1, 4, 1}, {2, 4, 1}, {4, 4, 3}, {8, 4, 3}, {4, 8, 3}, {4, 1, 1}} {
		before := runtime.GOMAXPROCS(test.processors)
		got := NewLimiter(test.slots, 0, nil).largeSlots
		runtime.GOMAXPROCS(before)
		if got != test.want {
			t.Errorf("%d of %d slots on %d processors, want %d", got, test.slots, test.processors, test.want)
		}
	}
}

// TestLimiter_Full checks that an operation of the client with the most waiting ones is
// rejected if the queue is full.
func TestLimiter_Full(t *testing.T) {
	l := newLine(1, 1, time.Hour)
	first := l.hold(t, 1, 1)
	l.add(t.Context(), 3, 1)
	for range MaxWaiting - 2 {
		l.add(t.Context(), 1, 1)
	}
	l.add(t.Context(), 1, 2) // the last in the queue
	if _, failed := l.Enter(t.Context(), clientNumber(1)); failed == nil || !strings.Contains(failed.Errors[0].Message, "too many operations wait") {
		t.Errorf("one more than may wait: %v", failed)
	}
	// The queue stays full, so its length does not show that the operation is queued.
	l.all.Go(func() { l.note(t.Context(), 2, 1) })
	refused := func() bool {
		l.noted.Lock()
		defer l.noted.Unlock()
		return len(l.ran) > 0
	}
	for !refused() {
		// It is not queued yet.
	}
	first.Leave()
	got := l.order()
	if !strings.HasPrefix(got, "1 rejected: ") || !strings.Contains(got, " 2:1") || strings.Count(got, "rejected") != 1 ||
		strings.Count(got, "1:1") != MaxWaiting-2 || strings.Contains(got, "1:2") {
		t.Errorf("got %s", got)
	}
}

// TestLimiter_GivenUp checks that cancelled operations, and those that waited too long, leave
// the queue.
func TestLimiter_GivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wait := range map[string]time.Duration{"cancelled": time.Hour, "too long": time.Nanosecond} {
		l := newLine(1, 1, wait)
		first := l.hold(t, 1, 1)
		if _, failed := l.Enter(ctx, clientNumber(2)); failed == nil || !strings.Contains(failed.Errors[0].Message, "too many operations run") || l.waiting() != 0 {
			t.Errorf("%s: %v, %d wait", name, failed, l.waiting())
		}
		first.Leave()
		if _, failed := l.Enter(ctx, clientNumber(2)); failed != nil || l.inUse() != 1 {
			t.Errorf("%s: a free slot: %v, %d run", name, failed, l.inUse())
		}
	}
	// A rejected large operation has released its small slot.
	l := newLine(2, 1, time.Nanosecond)
	large := l.hold(t, 1, largeCost)
	refused, failed := l.EnterFor(t.Context(), clientNumber(1), largeCost)
	refused.Leave()
	if large.Leave(); failed == nil || l.inUse() != 0 {
		t.Errorf("%v, %d run", failed, l.inUse())
	}
}

// TestLimiter_ForgetsClients checks that beyond maxFlows clients those without an operation
// are forgotten, and no others.
func TestLimiter_ForgetsClients(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLine(2, 1, time.Hour)
	busy := l.hold(t, 1, largeCost-1)
	many := func(ctx context.Context, network byte) {
		for i := range 2 * maxFlows {
			s, _ := l.EnterFor(ctx, netip.AddrFrom4([4]byte{10, network, byte(i / 256), byte(i)}), 0)
			s.Leave()
		}
		if n := len(l.flows); n > maxFlows {
			t.Errorf("network %d: %d clients are known", network, n)
		}
	}
	many(t.Context(), 1)
	full := l.hold(t, 2, 1)
	many(ctx, 2) // these are rejected
	l.add(t.Context(), 1, 10)
	l.add(t.Context(), 3, 20)
	full.Leave()
	if got, want := l.order(), "3:20 1:10"; got != want {
		t.Errorf("ran %s, want %s: the work of a client with an operation is remembered", got, want)
	}
	busy.Leave()
}

// TestLimiter_ForProofs checks that two operations with proofs run at once, one of a client, while all
// other slots are taken, and that a client who waits for its own operation holds up no other.
func TestLimiter_ForProofs(t *testing.T) {
	all := newLine(1, 1, time.Hour)
	defer all.hold(t, 9, 10).Leave()
	l := &line{Limiter: all.ForProofs()}
	// The client with the most work would wait behind the one that may not run.
	l.hold(t, 3, 50_000).Leave()
	first := l.hold(t, 1, 5_000)
	l.add(t.Context(), 1, 5_001)
	second := l.hold(t, 2, 5_000)
	l.add(t.Context(), 3, 5_002)
	l.add(t.Context(), 3, 5_003)
	if _, failed := l.Enter(canceled(t), clientNumber(4)); failed == nil || l.inUse() != 2 {
		t.Errorf("three run at once: %d", l.inUse())
	}
	second.Leave()
	for l.waiting() != 1 {
		// The others have not run yet.
	}
	first.Leave()
	if got, want := l.order(), "3:5002 3:5003 1:5001"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// canceled returns a context that has ended.
func canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
