package command

import "github.com/prometheus/client_golang/prometheus"

// events counts what happens to a follower, for /metrics of the same process.
type events struct {
	panics, deepReorgs prometheus.Counter
}

func newEvents() *events {
	count := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "mintburn_" + name, Help: help})
	}
	return &events{
		panics:     count("follower_panics_total", "Panics in the follower, the audits or the metadata worker, after which it went on."),
		deepReorgs: count("deep_reorgs_refused_total", "Refused tries to replace final blocks."),
	}
}

// collect passes the counters on.
func (e *events) collect(to chan<- prometheus.Metric) { to <- e.panics; to <- e.deepReorgs }
