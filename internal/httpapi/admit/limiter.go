package admit

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/httpapi/failure"
)

// Limiter bounds how many operations run at once, and shares the slots fairly among clients:
// the next slot goes to the client with the least work so far. A single client may use all
// slots.
//
// Each operation gets a start tag, the work of its client so far, and waiting operations run
// in the order of their tags (start-time fair queueing). Large operations may use fewer slots,
// so that small ones never wait for large ones alone.
type Limiter struct {
	// Slots is how many operations run at once, MaxWait the maximum waiting time of an operation.
	// They do not change.
	Slots   int
	MaxWait time.Duration
	// largeSlots is how many large operations run at once, and clientSlots how many operations of one
	// client; 0 is any number.
	largeSlots, clientSlots int
	metrics                 *LimiterMetrics

	mu sync.Mutex // guards the fields below
	// running counts the slots in use, runningLarge the slots of large operations.
	running, runningLarge int
	// virtual is the start tag for a new client: the tag of the operation that started last,
	// or a lower tag of a waiting one.
	virtual int64
	flows   map[netip.Addr]*flow
	// queues hold the waiting operations, small and large, ordered by start tag, then by
	// arrival.
	queues [2][]*ticket
}

// flow is the work of one client.
type flow struct {
	// next is the start tag of the client's next operation.
	next int64
	// users counts the client's waiting and running operations, waiting only the waiting ones, running
	// those with a slot.
	users, waiting, running int
}

const (
	// largeCost is the minimum cost of a large operation: a few milliseconds of CPU time.
	largeCost = 5_000
	// readCost is the cost of reading a request, charged before its own cost is known.
	readCost = 100
	// MaxWaiting is the maximum number of waiting operations.
	MaxWaiting = 512
	// maxFlows is how many clients are remembered. Above it, clients without an operation are
	// forgotten, with their work.
	maxFlows = 1_024
)

// NewLimiter returns a limiter for so many operations at once, at least 1. An operation that has
// waited for maxWait is rejected.
func NewLimiter(slots int, maxWait time.Duration, m *LimiterMetrics) *Limiter {
	return &Limiter{
		Slots: slots, MaxWait: maxWait, metrics: m, flows: map[netip.Addr]*flow{},
		// One processor is left for small operations and the network.
		largeSlots: max(1, min(slots, runtime.GOMAXPROCS(0))-1),
	}
}

// ProofSlots is how many operations with proofs of blocks run at once on a chain.
const ProofSlots = 2

// ForProofs returns a limiter with slots beside those of l, for operations that wait for a node: one of a
// client at once. It waits as long, and counts in the same metrics.
func (l *Limiter) ForProofs() *Limiter {
	beside := NewLimiter(ProofSlots, l.MaxWait, l.metrics)
	beside.largeSlots, beside.clientSlots = ProofSlots, 1
	return beside
}

// Slot is the right to run one operation. The zero value is a released slot.
type Slot struct {
	limiter *Limiter
	flow    *flow
	large   bool
}

// Enter waits for a slot in which to read a client's request. The caller must call [Slot.Leave],
// also after an error, which has status 503.
func (l *Limiter) Enter(ctx context.Context, client netip.Addr) (s Slot, failed *failure.Error) {
	l.mu.Lock()
	s = Slot{limiter: l, flow: l.flowOf(client)}
	s.flow.users++
	failed = s.take(ctx, readCost)
	return s, failed
}

// EnterFor waits for a slot for work of a known cost. The caller must call [Slot.Leave], also
// after an error, which has status 503.
func (l *Limiter) EnterFor(ctx context.Context, client netip.Addr, cost int) (s Slot, failed *failure.Error) {
	if s, failed = l.Enter(ctx, client); failed == nil {
		failed = s.Raise(ctx, cost)
	}
	return s, failed
}

// Raise charges the client for work whose cost was unknown before. Large work needs a slot for
// large operations: Raise releases the current slot and waits for such a slot. After an error,
// the operation has no slot.
func (s *Slot) Raise(ctx context.Context, cost int) *failure.Error {
	s.limiter.mu.Lock()
	if s.large || cost < largeCost {
		s.flow.next += int64(cost)
		s.limiter.mu.Unlock()
		return nil
	}
	s.limiter.running--
	s.flow.running--
	s.limiter.startWaiting()
	s.large = true
	return s.take(ctx, cost)
}

// Leave releases the slot to the next operation. Further calls do nothing.
func (s *Slot) Leave() {
	l := s.limiter
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.flow.users--
	s.flow.running--
	l.running--
	if s.large {
		l.runningLarge--
	}
	s.limiter = nil
	l.startWaiting()
}

// take takes a free slot, or waits for one. The caller must hold mu, which take releases.
func (s *Slot) take(ctx context.Context, cost int) *failure.Error {
	l := s.limiter
	t := ticket{flow: s.flow, large: s.large, start: max(l.virtual, s.flow.next)}
	s.flow.next = t.start + int64(cost)
	// None of those who wait may run while a slot is free for this one.
	if l.free(&t) {
		l.start(&t)
		l.mu.Unlock()
		l.metrics.atOnce.Inc()
		return nil
	}
	waiting := t
	failed := l.wait(ctx, &waiting)
	if failed != nil {
		l.mu.Lock()
		s.flow.users--
		// A rejected operation is not charged.
		s.flow.next -= int64(cost)
		s.limiter = nil
		l.mu.Unlock()
	}
	return failed
}

// wait waits until a ticket gets a slot. The caller must hold mu, which wait releases.
func (l *Limiter) wait(ctx context.Context, t *ticket) *failure.Error {
	if len(l.queues[0])+len(l.queues[1]) >= MaxWaiting && !l.makeRoom(t.flow) {
		l.mu.Unlock()
		l.metrics.full.Inc()
		return failure.Busy("too many operations wait")
	}
	t.turn = make(chan bool, 1)
	t.flow.waiting++
	q := l.queue(t.large)
	i := sort.Search(len(*q), func(i int) bool { return (*q)[i].start > t.start })
	*q = slices.Insert(*q, i, t)
	l.mu.Unlock()
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, l.MaxWait)
	defer cancel()
	var runs bool
	select {
	case runs = <-t.turn:
	case <-ctx.Done():
		l.mu.Lock()
		late := l.drop(t)
		l.mu.Unlock()
		if late {
			l.metrics.late.Inc()
			return failure.Busy("too many operations run")
		}
		// The ticket got a slot or was rejected in the meantime.
		runs = <-t.turn
	}
	if !runs {
		l.metrics.full.Inc()
		return failure.Busy("too many operations wait")
	}
	l.metrics.afterWait.Inc()
	l.metrics.wait.Observe(time.Since(began).Seconds())
	return nil
}

// flowOf returns the flow of a client. The caller must hold mu.
func (l *Limiter) flowOf(client netip.Addr) *flow {
	if known := l.flows[client]; known != nil {
		return known
	}
	if len(l.flows) >= maxFlows {
		for other, f := range l.flows {
			if f.users == 0 {
				delete(l.flows, other)
			}
		}
	}
	f := &flow{}
	l.flows[client] = f
	return f
}

// free reports whether a slot is free for a ticket. The caller must hold mu.
func (l *Limiter) free(t *ticket) bool {
	return l.running < l.Slots && (!t.large || l.runningLarge < l.largeSlots) && (l.clientSlots == 0 || t.flow.running < l.clientSlots)
}

// queue returns the queue of small or large operations. The caller must hold mu.
func (l *Limiter) queue(large bool) *[]*ticket {
	if large {
		return &l.queues[1]
	}
	return &l.queues[0]
}

// start assigns a slot to a ticket. The caller must hold mu.
func (l *Limiter) start(t *ticket) {
	now := t.start
	for _, q := range l.queues {
		// A new client must not queue behind all waiting operations.
		if len(q) > 0 {
			now = min(now, q[0].start)
		}
	}
	l.virtual = max(l.virtual, now)
	l.running++
	t.flow.running++
	if t.large {
		l.runningLarge++
	}
}

// startWaiting starts waiting operations while slots are free. The caller must hold mu.
func (l *Limiter) startWaiting() {
	for {
		var next *ticket
		for _, q := range l.queues {
			if l.clientSlots == 0 {
				q = q[:min(1, len(q))]
			}
			// The first may have to wait for another operation of its client.
			if i := slices.IndexFunc(q, l.free); i >= 0 && (next == nil || q[i].start < next.start) {
				next = q[i]
			}
		}
		if next == nil {
			return
		}
		l.drop(next)
		l.start(next)
		next.turn <- true
	}
}

// makeRoom rejects the last waiting operation of the client with the most waiting operations.
// It returns false if that client is f's. The caller must hold mu.
func (l *Limiter) makeRoom(f *flow) bool {
	var last *ticket
	for _, q := range l.queues {
		for _, t := range q {
			if last == nil || t.flow.waiting > last.flow.waiting || t.flow == last.flow && t.start > last.start {
				last = t
			}
		}
	}
	if last.flow.waiting <= f.waiting {
		return false
	}
	l.drop(last)
	last.turn <- false
	return true
}

// drop removes a ticket from its queue, and reports whether it was waiting. The caller must
// hold mu.
func (l *Limiter) drop(t *ticket) bool {
	q := l.queue(t.large)
	i := slices.Index(*q, t)
	if i < 0 {
		return false
	}
	*q = slices.Delete(*q, i, i+1)
	t.flow.waiting--
	return true
}

// Describe implements [prometheus.Collector]. It describes nothing, so that several limiters fit into a
// registry, with different labels.
func (*Limiter) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (l *Limiter) Collect(to chan<- prometheus.Metric) {
	running, waiting := l.state()
	gauge := func(name, help string, value int) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("mintburn_limiter_"+name, help, nil, nil), prometheus.GaugeValue, float64(value))
	}
	gauge("running", "Operations that have a slot.", running)
	gauge("slots", "Maximum number of operations that run at once.", l.Slots)
	gauge("waiting", "Operations that wait for a slot.", waiting)
	gauge("waiting_max", "Maximum number of operations that wait at once.", MaxWaiting)
}

func (l *Limiter) state() (running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running, len(l.queues[0]) + len(l.queues[1])
}

// ticket is an operation that waits for a slot.
type ticket struct {
	flow  *flow
	large bool
	// start is the start tag.
	start int64
	// turn receives true when the ticket gets a slot, and false if the operation is rejected.
	turn chan bool
}

// LimiterMetrics count operations by how they got a slot.
type LimiterMetrics struct {
	atOnce, afterWait, full, late prometheus.Counter
	wait                          prometheus.Histogram
}

// NewLimiterMetrics registers the metrics. It panics if in has registered them before.
func NewLimiterMetrics(in promauto.Factory) *LimiterMetrics {
	operations := in.NewCounterVec(prometheus.CounterOpts{
		Name: "mintburn_limiter_operations_total",
		Help: "Operations by outcome: slot at once, slot after waiting, or rejected because the queue was full or the wait too long.",
	}, []string{"outcome"})
	return &LimiterMetrics{
		atOnce: operations.WithLabelValues("at_once"), afterWait: operations.WithLabelValues("after_waiting"),
		full: operations.WithLabelValues("queue_full"), late: operations.WithLabelValues("waited_too_long"),
		wait: in.NewHistogram(prometheus.HistogramOpts{
			Name: "mintburn_limiter_wait_seconds", Help: "How long operations waited for a slot that they got.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5},
		}),
	}
}
