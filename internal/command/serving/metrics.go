package serving

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
)

// dataMetrics are the metrics of the stored data. Each scrape reads the database. If that
// fails, mintburn_database_up is 0 and the other metrics of the data are missing.
type dataMetrics struct {
	// store returns the database, or nil until it is open.
	store func() *write.DB
	env   *process.Env
	// within bounds a scrape.
	within time.Duration
}

var _ prometheus.Collector = dataMetrics{}

// Describe implements [prometheus.Collector]. It describes nothing, because the metrics
// depend on the data.
func (dataMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (c dataMetrics) Collect(to chan<- prometheus.Metric) {
	send := func(typ prometheus.ValueType, name, help string, value float64, label ...string) {
		names, values := label[:len(label)/2], label[len(label)/2:]
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("mintburn_"+name, help, names, nil), typ, value, values...)
	}
	gauge := func(name, help string, value float64, label ...string) {
		send(prometheus.GaugeValue, name, help, value, label...)
	}
	c.env.Events.Collect(to)
	s := c.store()
	if s == nil {
		gauge("database_up", upHelp, 0)
		return
	}
	err := c.collect(s, gauge)
	if err != nil {
		c.env.Log.Warn("reading metrics of the data", "error", err)
	}
	if free, size, known := state.DiskOf(s.Database.File()); known {
		gauge("disk_free_bytes", "Free bytes on the file system of the SQLite database, for users other than root.", free)
		gauge("disk_bytes", "Size of the file system of the SQLite database, in bytes.", size)
	}
	pool := s.Database.PoolStats()
	for state, connections := range map[string]int{"idle": pool.Idle, "used": pool.Open - pool.Idle} {
		gauge("read_connections", "Read connections to the database by state.", float64(connections), "state", state)
	}
	gauge("read_connections_max", "Most read connections to the database.", float64(pool.Max))
	send(prometheus.CounterValue, "read_connection_waits_total", "Reads that waited for a connection.", float64(pool.Waits))
	send(prometheus.CounterValue, "read_connection_wait_seconds_total", "Time that reads waited for a connection.", pool.Waited.Seconds())
	gauge("writer", "1 if this process holds the lease to change blocks, else 0.", oneIf(s.Lease().Held()))
	gauge("database_up", upHelp, oneIf(err == nil))
}

const upHelp = "1 if the database answered this scrape and its file is where it was opened, else 0."

// gauge sends a gauge metric. label is empty, or the name of a label and its value.
type gauge func(name, help string, value float64, label ...string)

func (c dataMetrics) collect(store *write.DB, gauge gauge) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.within)
	defer cancel()
	if err := store.CheckFile(); err != nil {
		return err
	}
	now := c.env.Now()
	snapshot := store.Snapshot()
	s, err := state.Of(ctx, snapshot, now)
	if err = errors.Join(err, snapshot.Close()); err != nil {
		return err
	}
	gauge("indexed_blocks", "Indexed blocks.", blocks(s.Indexed))
	gauge("verified_blocks", "Blocks proved complete.", blocks(s.Verified))
	gauge("gap_blocks", "Blocks left out because no endpoint gives them, or all have pruned them; they are retried.", s.GapBlocks())
	if s.Head != nil {
		gauge("head_block", "Number of the last indexed block.", float64(s.Head.Number))
		gauge("lag_seconds", "Age of the last indexed block.", state.Age(s.Head, now).Seconds())
	}
	if s.Finalized != nil {
		gauge("finalized_block", "Number of the last finalized block.", float64(s.Finalized.Number))
	}
	if len(s.Endpoints) > 0 {
		gauge("following", "1 if a process follows the chain or writes blocks, else 0. Missing for a chain that was never followed.", oneIf(s.Term.Live))
	}
	for _, e := range s.Nodes {
		gauge("endpoint_head_block", "Highest block that the node has reported.", float64(e.Head), "endpoint", e.URL)
		gauge("endpoint_latency_seconds", "Moving average of the node's response time.", float64(e.LatencyMS)/1000, "endpoint", e.URL)
		gauge("endpoint_up", "1 if the node is used, 0 from a failure until its next answer, or if it lags or serves other blocks.", oneIf(e.Healthy), "endpoint", e.URL)
		gauge("endpoint_leaves_out_logs", "1 if the node was caught leaving logs out and its ranges are read from receipts, else 0.", oneIf(e.LeavesOut), "endpoint", e.URL)
		gauge("endpoint_wrong_chain", "1 if the node serves another chain and is not used, else 0.", oneIf(e.WrongChain), "endpoint", e.URL)
		gauge("endpoint_contradicts", "1 if the node has other finalized blocks and is not used, else 0.", oneIf(e.Contradicts), "endpoint", e.URL)
	}
	gauge("metadata_due_tokens", "Tokens whose document is due, counted up to 100,000.", float64(s.Due))
	if len(s.Indexed) > 0 {
		gauge("records", "Stored records by kind.", float64(s.Mints), "kind", nft.Mint.String())
		gauge("records", "Stored records by kind.", float64(s.Burns), "kind", nft.Burn.String())
		gauge("rejected_logs", "Rejected logs: malformed, or above a cap.", float64(s.Rejected))
	}
	return nil
}

// oneIf returns 1 for true and 0 for false.
func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// blocks returns the number of blocks in ranges.
func blocks(ranges []evm.Range) (n float64) {
	for _, r := range ranges {
		n += float64(r.To-r.From) + 1
	}
	return n
}
