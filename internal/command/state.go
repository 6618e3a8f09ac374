package command

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// scrapeTime bounds what is asked of the database for one look at its state.
const scrapeTime = 5 * time.Second

// readiness returns why requests should not be sent here: the database does not
// answer, is no longer where it was opened, lacks its indexes because it is being loaded, has no indexed block, or its
// head is older than maxLag. 0 means that any age will do.
func readiness(ctx context.Context, s *store.Store, maxLag time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTime)
	defer cancel()
	if err := s.CheckFile(); err != nil {
		return err
	}
	loading, err := s.Loading(ctx)
	if err != nil {
		return err
	}
	if loading {
		return nft.Errorf(nft.Unavailable, "the database is being loaded")
	}
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	c, err := snapshot.Chain(ctx)
	switch {
	case err != nil:
		return err
	case len(c.Indexed) == 0:
		return nft.Errorf(nft.Unavailable, "nothing is indexed yet")
	case maxLag == 0:
		return nil
	case c.Head == nil:
		return nft.Errorf(nft.Unavailable, "the header of the last indexed block is not stored")
	}
	if age(c.Head) > maxLag {
		return nft.Errorf(nft.Unavailable, "the last indexed block is older than %s", maxLag)
	}
	return nil
}

func age(h *evm.Header) time.Duration { return max(0, time.Since(time.Unix(int64(h.Time), 0))) }

// state has metrics of the data. Each scrape reads the database; when that
// fails, it says so and the other metrics of the process go on.
type state struct {
	store  *store.Store
	log    *slog.Logger
	events *events
}

var _ prometheus.Collector = state{}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("mintburn_"+name, help, labels, nil)
}

// Describe implements [prometheus.Collector]: which metrics there are depends on
// what is known.
func (state) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (c state) Collect(to chan<- prometheus.Metric) {
	up := 1.0
	if err := c.collect(to); err != nil {
		c.log.Warn("reading metrics of the data", "error", err)
		up = 0
	}
	c.events.collect(to)
	to <- prometheus.MustNewConstMetric(describe("database_up", "Whether the database answered this scrape, and its file is where it was opened."), prometheus.GaugeValue, up)
}

func (c state) collect(to chan<- prometheus.Metric) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	if err := c.store.CheckFile(); err != nil {
		return err
	}
	snapshot := c.store.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	gauge := func(name, help string, value float64, labels ...string) {
		names, values := make([]string, 0, 1), make([]string, 0, 1)
		for i := 0; i+1 < len(labels); i += 2 {
			names, values = append(names, labels[i]), append(values, labels[i+1])
		}
		to <- prometheus.MustNewConstMetric(describe(name, help, names...), prometheus.GaugeValue, value, values...)
	}
	chain, err := snapshot.Chain(ctx)
	if err != nil {
		return err
	}
	gauge("indexed_blocks", "Blocks that are indexed.", blocks(chain.Indexed))
	gauge("verified_blocks", "Blocks that are proved complete.", blocks(chain.Verified))
	left := 0.0
	for _, g := range chain.Gaps {
		left += float64(g.ToBlock-g.FromBlock) + 1
	}
	gauge("gap_blocks", "Blocks that are left out because every endpoint contradicts itself about them; they are tried again.", left)
	if chain.Head != nil {
		gauge("head_block", "The last indexed block.", float64(chain.Head.Number))
		gauge("lag_seconds", "Age of the last indexed block.", age(chain.Head).Seconds())
	}
	if chain.Finalized != nil {
		gauge("finalized_block", "The last block that the chain calls final.", float64(chain.Finalized.Number))
	}
	for _, e := range chain.Endpoints {
		gauge("endpoint_up", "Whether a node is asked, 1, or rests, 0.", truth(e.Healthy), "endpoint", e.URL)
		gauge("endpoint_leaves_out_logs", "Whether a node was caught leaving logs out, 1, and its ranges are read from receipts.", truth(e.LeavesOut), "endpoint", e.URL)
		gauge("endpoint_wrong_chain", "Whether a node serves another chain, 1, and is left out.", truth(e.WrongChain), "endpoint", e.URL)
		gauge("endpoint_contradicts", "Whether a node has other blocks where blocks are final, 1, and is left out.", truth(e.Contradicts), "endpoint", e.URL)
	}
	if len(chain.Indexed) == 0 {
		return nil
	}
	none := 0
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		page, err := snapshot.Page(store.Filter{Kind: kind}, store.PageArgs{First: &none})
		if err != nil {
			return err
		}
		if err := page.Read(ctx); err != nil {
			return err
		}
		total, err := page.Total(ctx)
		if err != nil {
			return err
		}
		gauge("records", "Stored records by kind.", float64(total), "kind", kind.String())
	}
	rejected, err := snapshot.Rejected(ctx)
	if err == nil {
		gauge("rejected_logs", "Malformed logs that were set aside.", float64(rejected))
	}
	return err
}

// truth is a boolean as a metric.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func blocks(ranges []store.Range) (n float64) {
	for _, r := range ranges {
		n += float64(r.To-r.From) + 1
	}
	return n
}
