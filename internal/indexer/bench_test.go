package indexer_test

import (
	"testing"
	"time"

	"mintburn/internal/chain"
	"mintburn/internal/chaintest"
	"mintburn/internal/indexer"
)

// BenchmarkFollower_Backfill indexes a chain of 2,000 blocks of 50 records into
// a fresh database on disk, with and without latency.
func BenchmarkFollower_Backfill(b *testing.B) {
	for name, test := range map[string]struct {
		latency     time.Duration
		headerDepth uint64
	}{
		"no latency":               {0, 100_000},
		"no latency, sparse":       {0, 10},
		"50 ms latency":            {50 * time.Millisecond, 100_000},
		"50 ms latency and sparse": {50 * time.Millisecond, 10},
	} {
		b.Run(name, func(b *testing.B) {
			var o chaintest.NodeOptions
			if test.latency > 0 {
				o.Wait = func() { <-time.After(test.latency) }
			}
			node := chaintest.NewNode(b, o)
			contents := chaintest.Default()
			contents.Blocks, contents.Records = 2_000, 50
			node.Generate(contents)
			blocks, records := 0, 0
			b.ResetTimer()
			for b.Loop() {
				r := followURLs(b, sqlite(b), chain.ClientOptions{}, node.URL)
				r.HeaderDepth, r.Workers = test.headerDepth, 4
				r.Progress = func(p indexer.Progress) { blocks, records = blocks+p.Blocks, records+p.Records }
				if err := r.Run(b.Context(), true, nil); err != nil {
					b.Fatal(err)
				}
			}
			calls, requests := node.AllCalls()
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(blocks)/seconds, "blocks/s")
			b.ReportMetric(float64(records)/seconds, "records/s")
			b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
			b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
		})
	}
}
