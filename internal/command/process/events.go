package process

import "github.com/prometheus/client_golang/prometheus"

// Events holds the metrics of a chain's follower and metadata worker in this process, for its /metrics.
type Events struct {
	Panics, DeepReorgs  prometheus.Counter
	Blocks, Records     prometheus.Counter
	Documents, Failures prometheus.Counter
	Reorgs              prometheus.Histogram
	waits               prometheus.Gauge
}

// NewEvents returns the metrics of a process that has done nothing yet.
func NewEvents() *Events {
	count := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "mintburn_" + name, Help: help})
	}
	return &Events{
		Panics:    count("follower_panics_total", "Panics in the follower, the audits or the metadata worker, which continue after each."),
		Blocks:    count("follower_blocks_total", "Blocks indexed by this process's follower."),
		Records:   count("follower_records_total", "Records in the blocks indexed by this process's follower."),
		Documents: count("metadata_documents_total", "Token documents fetched by this process."),
		Failures:  count("metadata_failures_total", "Failed fetches of token documents by this process."),
		Reorgs: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "mintburn_reorg_depth_blocks", Help: "Blocks orphaned per reorg, as seen by this process's follower.",
			Buckets: []float64{1, 2, 3, 5, 10, 20, 50, 100},
		}),
		DeepReorgs: count("deep_reorgs_refused_total", "Refused reorgs of finalized blocks."),
		waits: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mintburn_write_waits", Help: "1 while a write transaction has waited over a second for other processes, else 0.",
		}),
	}
}

// Collect sends the metrics.
func (e *Events) Collect(to chan<- prometheus.Metric) {
	for _, m := range []prometheus.Collector{e.Panics, e.DeepReorgs, e.Blocks, e.Records, e.Documents, e.Failures, e.Reorgs, e.waits} {
		m.Collect(to)
	}
}

// SetWaiting notes whether a write transaction has waited for other processes.
func (e *Events) SetWaiting(waits bool) {
	if waits {
		e.waits.Set(1)
	} else {
		e.waits.Set(0)
	}
}
