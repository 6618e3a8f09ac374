package main

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mintburn/bench/workload"
	"mintburn/internal/evm"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// finalize marks all blocks of a database as final, because no node has reported a
// finalized block.
func finalize(t testing.TB, db string) {
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	indexed, err := s.Indexed(t.Context())
	expect.NoError(t, err)
	last := evm.Header{BlockRef: evm.BlockRef{Number: indexed[len(indexed)-1].To}}
	expect.NoError(t, s.SetFinalized(t.Context(), last))
}

// cacheable lists the workloads whose answers cannot change.
var cacheable = []string{workload.Block, workload.Range, workload.Total, workload.Hundred}

// BenchmarkCached measures cached answers (--answer-cache), the same answers from a server
// without a cache, and one of the answers as fixed bytes.
func BenchmarkCached(b *testing.B) {
	computed, cached := startOwn(b), startOwn(b, "--answer-cache", "64")
	for i := range cached.workloads {
		w := &cached.workloads[i]
		if !slices.Contains(cacheable, w.Name) {
			continue
		}
		bodies := cached.bodies(b, w)
		b.Run(w.Path+"/static", func(b *testing.B) {
			cached.ask(b, bodies[0])
			server := httptest.NewServer(fixed(map[string]string{"graphql": string(cached.response.Body())}))
			defer server.Close()
			fixed := newOwn(strings.TrimPrefix(server.URL, "http://"))
			defer fixed.client.CloseIdleConnections()
			fixed.measure(b, bodies[:1])
		})
		b.Run(w.Path+"/cached", func(b *testing.B) { cached.measure(b, bodies[:1]) })
		b.Run(w.Path+"/cached-many", func(b *testing.B) { cached.measure(b, bodies) })
		b.Run(w.Path+"/computed", func(b *testing.B) { computed.measure(b, bodies[:1]) })
	}
}

// measure sends one request after the other.
func (o *own) measure(b *testing.B, bodies [][]byte) {
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		o.ask(b, bodies[n%len(bodies)])
	}
}
