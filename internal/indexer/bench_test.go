package indexer_test

import (
	"context"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// timed is a store that measures the time spent in Extend.
type timed struct {
	*write.DB
	busy *time.Duration
}

func (s timed) Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error {
	defer func(start time.Time) { *s.busy += time.Since(start) }(time.Now())
	return s.DB.Extend(ctx, blocks, indexed, proven)
}

// BenchmarkFollower_Backfill indexes 2,000 blocks of 50 records into a fresh database
// on disk, with and without latency, in three ways: each block read from its receipts
// and proved; ranges of logs with all headers; ranges of logs alone. The node runs in
// the same process, so its work limits the results too. store-% is the share of the
// time in which the database is busy.
func BenchmarkFollower_Backfill(b *testing.B) {
	for _, test := range []struct {
		name                       string
		latency                    time.Duration
		receiptsDepth, headerDepth uint64
	}{
		{"whole", 0, 10_000, 10_000},
		{"headers", 0, 64, 10_000},
		{"sparse", 0, 64, 64},
		{"whole, 50 ms latency", 50 * time.Millisecond, 10_000, 10_000},
		{"headers, 50 ms latency", 50 * time.Millisecond, 64, 10_000},
		{"sparse, 50 ms latency", 50 * time.Millisecond, 64, 64},
	} {
		b.Run(test.name, func(b *testing.B) {
			node := benchNode(b, test.latency, 2_000)
			blocks, records, busy := 0, 0, time.Duration(0)
			b.ResetTimer()
			for b.Loop() {
				r := followURLs(b, storetest.SQLite(b), jsonrpc.Options{}, node.URL)
				r.HeaderDepth, r.ReceiptsDepth, r.Workers = test.headerDepth, test.receiptsDepth, indexer.DefaultWorkers
				r.Store = timed{r.store, &busy}
				r.Progress = func(p indexer.Progress) { blocks, records = blocks+p.Blocks, records+p.Records }
				expect.NoError(b, r.Run(b.Context(), true, nil))
			}
			calls, requests := node.AllCalls()
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(blocks)/seconds, "blocks/s")
			b.ReportMetric(float64(records)/seconds, "records/s")
			b.ReportMetric(100*busy.Seconds()/seconds, "store-%")
			b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
			b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
		})
	}
}

func benchNode(b *testing.B, latency time.Duration, blocks int) *chaintest.Node {
	var o chaintest.NodeOptions
	if latency > 0 {
		o.Wait = func() { <-time.After(latency) }
	}
	node := chaintest.NewNode(b, o)
	contents := chaintest.Default()
	contents.Blocks, contents.Records = blocks, 50
	node.Generate(contents)
	return node
}
