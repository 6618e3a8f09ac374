//go:build otel

package serving

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"mintburn/internal/testing/expect"
)

// BenchmarkTracing measures the cost of tracing a request with four statements, by the
// share of sampled requests. A receiver in this process receives the traces.
func BenchmarkTracing(b *testing.B) {
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	b.Cleanup(receiver.Close)
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	b.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	headers := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	texts := []string{"SELECT id, contract_id, token_id FROM mints WHERE id >= ? AND id <= ? ORDER BY id LIMIT 101"}
	for _, share := range []string{"0", "0.01", "1"} {
		b.Run(share, func(b *testing.B) {
			b.Setenv("OTEL_TRACES_SAMPLER_ARG", share)
			t, err := newTracing(b.Context(), slog.Default(), "(devel)")
			expect.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				ctx, answered := t.Request(b.Context(), headers, http.MethodPost, "id")
				ctx, ran := t.Operation(ctx, "query", "Mints", 100)
				for range 4 {
					if read := t.Statements(ctx); read != nil {
						read(texts, nil)
					}
				}
				if ran != nil {
					ran(nil)
					answered("/graphql", http.StatusOK)
				}
			}
			expect.NoError(b, t.Close(context.Background()))
		})
	}
}
