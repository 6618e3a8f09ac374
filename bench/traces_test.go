//go:build otel

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkTraced is BenchmarkAnswer with traces of one request in a hundred. The receiver
// reads them and does nothing else.
func BenchmarkTraced(b *testing.B) {
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	b.Cleanup(receiver.Close)
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	b.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	b.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.01")
	BenchmarkAnswer(b)
}
