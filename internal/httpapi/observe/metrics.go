package observe

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/layout"
)

// Metrics returns the handler of /metrics for the registry of [Options].
func Metrics(registry *prometheus.Registry) http.Handler {
	return layout.WithPolicy(layout.AssetPolicy, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
}

// maxNames is how many operation names get their own metrics, not counting the REST routes.
// longestName is the maximum length of such a name in bytes.
const maxNames, longestName = 100, 64

// Nameless and otherNames are the labels of operations without a name, and of those beyond
// maxNames. GraphQL names cannot contain parentheses.
const Nameless, otherNames = "(none)", "(other)"

// operationMetrics count operations by name. Clients choose the names, so only the first
// maxNames names of successful operations get their own metrics.
type operationMetrics struct {
	count         *prometheus.CounterVec
	cost, seconds *prometheus.CounterVec

	mu    sync.RWMutex // guards named and names
	named map[string]*namedMetrics
	// names counts the client-chosen names.
	names int
}

// namedMetrics are the metrics for one name.
type namedMetrics struct{ succeeded, failed, cost, seconds prometheus.Counter }

func newOperationMetrics(in promauto.Factory) *operationMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: "mintburn_" + name, Help: help}, labels)
	}
	m := &operationMetrics{
		count:   counter("operations_total", "Operations that ran, by name or REST route, and by result: error if the answer contains errors, else ok.", "operation", "result"),
		cost:    counter("operation_cost_total", "Cost of operations that ran, by name or REST route.", "operation"),
		seconds: counter("operation_seconds_total", "Run time of operations, by name or REST route.", "operation"),
		named:   map[string]*namedMetrics{},
	}
	m.reserve(Nameless)
	m.reserve(otherNames)
	return m
}

// reserve creates the metrics for a name. It does not count toward maxNames.
func (m *operationMetrics) reserve(name string) {
	m.named[name] = &namedMetrics{
		m.count.WithLabelValues(name, "ok"), m.count.WithLabelValues(name, "error"), m.cost.WithLabelValues(name), m.seconds.WithLabelValues(name),
	}
}

// State provides the metrics of a server's current state.
type State struct {
	Budget  *admit.Budget
	Streams *admit.Streams
	// Caches returns the state of each cache.
	Caches func() map[string]admit.CacheStats
}

// Describe implements [prometheus.Collector]. It describes nothing, because the configuration
// decides which caches exist.
func (State) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s State) Collect(to chan<- prometheus.Metric) {
	send := func(typ prometheus.ValueType, name, help string, value int, labels prometheus.Labels) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("mintburn_"+name, help, nil, labels), typ, float64(value))
	}
	gauge := func(name, help string, value int) { send(prometheus.GaugeValue, name, help, value, nil) }
	gauge("answer_memory_bytes", "Memory in use for open requests, their large bodies and answers.", int(s.Budget.InUse()))
	gauge("answer_memory_max_bytes", "Maximum memory for open requests, their large bodies and answers.", int(s.Budget.Size))
	gauge("subscriptions", "Open subscriptions.", s.Streams.Count())
	gauge("subscriptions_max", "Maximum number of open subscriptions.", s.Streams.Max)
	for name, c := range s.Caches() {
		for result, count := range map[string]uint64{"hit": c.Hits, "miss": c.Misses} {
			send(prometheus.CounterValue, "cache_requests_total", "Cache look-ups by result.", int(count), prometheus.Labels{"cache": name, "result": result})
		}
		send(prometheus.GaugeValue, "cache_entries", "Entries of a cache.", c.Entries, prometheus.Labels{"cache": name})
		send(prometheus.GaugeValue, "cache_bytes", "Approximate memory of a cache.", c.Bytes, prometheus.Labels{"cache": name})
	}
}

// of returns the metrics for a name.
func (m *operationMetrics) of(name string, succeeded bool) *namedMetrics {
	m.mu.RLock()
	known, full := m.named[name], m.names >= maxNames
	m.mu.RUnlock()
	switch {
	case known != nil:
		return known
	case full || !succeeded || len(name) > longestName:
		return m.named[otherNames]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.named[name] == nil && m.names < maxNames {
		m.names++
		m.reserve(name)
	}
	if known := m.named[name]; known != nil {
		return known
	}
	return m.named[otherNames]
}

// ran counts an operation that ran.
func (m *operationMetrics) ran(label string, cost int, succeeded bool, took time.Duration) {
	of := m.of(label, succeeded)
	if succeeded {
		of.succeeded.Inc()
	} else {
		of.failed.Inc()
	}
	of.cost.Add(float64(cost))
	of.seconds.Add(took.Seconds())
}
