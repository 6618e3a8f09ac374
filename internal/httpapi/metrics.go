package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// metrics are what /metrics tells of requests, in Prometheus's format.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	errors   *prometheus.CounterVec
	kept     prometheus.Counter
	limiter  *limiterMetrics
	registry *prometheus.Registry
}

// newMetrics returns metrics beside those of a collector and of the process, in
// a registry, or in a new one.
func newMetrics(registry *prometheus.Registry, more prometheus.Collector) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mintburn_http_request_seconds", Help: "Time to answer an HTTP request, by route.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10},
		}, []string{"route"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_errors_total", Help: "Errors that callers were shown, by code.",
		}, []string{"code"}),
		kept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mintburn_kept_answers_total", Help: "Requests that were answered from memory (--answer-cache).",
		}),
		limiter:  newLimiterMetrics(),
		registry: registry,
	}
	m.registry.MustRegister(m.requests, m.seconds, m.errors, m.kept, m.limiter.operations, m.limiter.wait, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if more != nil {
		m.registry.MustRegister(more)
	}
	return m
}

// Metrics returns the handler of /metrics for the registry of a [Config].
func Metrics(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// of counts the requests to a route.
func (m *metrics) of(route string, next http.Handler) http.Handler {
	seconds := m.seconds.WithLabelValues(route)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, noted := time.Now(), &statusNote{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(noted, r)
		seconds.Observe(time.Since(began).Seconds())
		m.requests.WithLabelValues(route, strconv.Itoa(noted.status)).Inc()
	})
}

// failed counts errors by their codes.
func (m *metrics) failed(list gqlerror.List) {
	for _, e := range list {
		m.errors.WithLabelValues(codeOf(e)).Inc()
	}
}

// statusNote notes the status of a response.
type statusNote struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (n *statusNote) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach what is noted.
func (n *statusNote) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// limiterMetrics count what became of operations that wanted a slot.
type limiterMetrics struct {
	operations                    *prometheus.CounterVec
	atOnce, afterWait, full, late prometheus.Counter
	wait                          prometheus.Histogram
}

func newLimiterMetrics() *limiterMetrics {
	m := &limiterMetrics{
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_limiter_operations_total",
			Help: "Operations by how they got a slot to run: at once, after waiting, or not because the queue was full or the wait too long.",
		}, []string{"outcome"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "mintburn_limiter_wait_seconds", Help: "How long operations waited for a slot that they got.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5},
		}),
	}
	m.atOnce = m.operations.WithLabelValues("at_once")
	m.afterWait = m.operations.WithLabelValues("after_waiting")
	m.full = m.operations.WithLabelValues("queue_full")
	m.late = m.operations.WithLabelValues("waited_too_long")
	return m
}

// gauge returns the metric of how many operations wait.
func (l *limiter) gauge() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mintburn_limiter_waiting", Help: "Operations that wait for a slot.",
	}, func() float64 { return float64(l.waiting()) })
}
