package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// metrics count requests, for Prometheus.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	errors   *prometheus.CounterVec
	cached   prometheus.Counter
	limiter  *limiterMetrics
	registry *prometheus.Registry
}

// newMetrics returns metrics, beside those of a collector and of the process, in
// a registry or in a new one.
func newMetrics(registry *prometheus.Registry, more prometheus.Collector) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if more != nil {
		registry.MustRegister(more)
	}
	in := promauto.With(registry)
	return &metrics{
		requests: in.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		seconds: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mintburn_http_request_seconds", Help: "Time to answer an HTTP request, by route.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10},
		}, []string{"route"}),
		errors: in.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_errors_total", Help: "Errors in answers, by code.",
		}, []string{"code"}),
		cached: in.NewCounter(prometheus.CounterOpts{
			Name: "mintburn_answer_cache_hits_total", Help: "Requests answered from memory (--answer-cache).",
		}),
		limiter:  newLimiterMetrics(in),
		registry: registry,
	}
}

// Metrics returns the handler of /metrics for the registry of a [Config].
func Metrics(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// of counts the requests to a route.
func (m *metrics) of(route string, next http.Handler) http.Handler {
	seconds := m.seconds.WithLabelValues(route)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, noted := time.Now(), &statusRecorder{ResponseWriter: w, status: http.StatusOK}
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

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (n *statusRecorder) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach the recorded writer.
func (n *statusRecorder) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// limiterMetrics count operations by how they got a slot.
type limiterMetrics struct {
	atOnce, afterWait, full, late prometheus.Counter
	wait                          prometheus.Histogram
}

func newLimiterMetrics(in promauto.Factory) *limiterMetrics {
	operations := in.NewCounterVec(prometheus.CounterOpts{
		Name: "mintburn_limiter_operations_total",
		Help: "Operations by how they got a slot to run: at once, after waiting, or not because the queue was full or the wait too long.",
	}, []string{"outcome"})
	return &limiterMetrics{
		atOnce: operations.WithLabelValues("at_once"), afterWait: operations.WithLabelValues("after_waiting"),
		full: operations.WithLabelValues("queue_full"), late: operations.WithLabelValues("waited_too_long"),
		wait: in.NewHistogram(prometheus.HistogramOpts{
			Name: "mintburn_limiter_wait_seconds", Help: "How long operations waited for a slot that they got.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5},
		}),
	}
}

// gauge returns the metric of how many operations wait.
func (l *limiter) gauge() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mintburn_limiter_waiting", Help: "Operations that wait for a slot.",
	}, func() float64 { return float64(l.waiting()) })
}
