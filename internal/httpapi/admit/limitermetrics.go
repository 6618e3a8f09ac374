package admit

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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
