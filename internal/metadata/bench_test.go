package metadata_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// endlessQueue holds a number of tokens and stores no results. It records the peak of the
// heap in use, which it samples when groups are finished.
type endlessQueue struct {
	tokens, claimed, failures int
	peak                      uint64
	// look counts down the groups until the next sample.
	look int
}

// Claim implements [metadata.Queue].
func (q *endlessQueue) Claim(_ context.Context, limit int) ([]nft.Task, error) {
	tasks := make([]nft.Task, min(limit, q.tokens-q.claimed))
	for i := range tasks {
		tasks[i] = nft.Task{TokenKey: token(uint64(q.claimed)), Type: nft.ERC721}
		q.claimed++
	}
	return tasks, nil
}

// Finish implements [metadata.Queue].
func (q *endlessQueue) Finish(_ context.Context, group []nft.Resolution) error {
	for _, resolution := range group {
		if resolution.Document == nil {
			q.failures++
		}
	}
	if q.look--; q.look < 0 {
		q.look = 100
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		q.peak = max(q.peak, m.HeapInuse)
	}
	return nil
}

// numbered answers each token's call with a different URL.
type numbered struct{ url string }

// Call implements [metadata.Caller].
func (n numbered) Call(_ context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	for i, call := range calls {
		results[i].Data = chaintest.ABIString(fmt.Sprintf("%s/%x", n.url, call.Data[4:]))
	}
	return results, nil
}

// BenchmarkWorker resolves b.N tokens from a server in the same process, whose work counts as
// well. The peak must not depend on b.N.
func BenchmarkWorker(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":"Token %s","image":"ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.png",`+
			`"attributes":[{"trait_type":"Hat","value":"Fez"},{"trait_type":"Level","value":7,"max_value":9}]}`, r.URL.Path)
	}))
	defer server.Close()
	q := &endlessQueue{tokens: b.N}
	w := &metadata.Worker{
		Queue: q, Caller: numbered{server.URL}, Fetcher: newFetcher(b, metadata.FetcherOptions{AllowPrivate: true}),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	b.ResetTimer()
	expect.NoError(b, w.Run(b.Context(), true))
	if q.failures > 0 {
		b.Errorf("%d of %d documents failed", q.failures, b.N)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "documents/s")
	b.ReportMetric(float64(q.peak)/(1<<20), "peak-MiB")
}
