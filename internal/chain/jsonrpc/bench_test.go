package jsonrpc_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/testing/chaintest"
)

// BenchmarkRange reads a chain of 593 blocks and about 36,000 logs from a scripted node,
// without latency and with 50 ms. The results include the node's own work.
func BenchmarkRange(b *testing.B) {
	const blocks = 593
	o := chaintest.Default()
	o.Blocks, o.Records = blocks, 110
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		for _, samples := range []int{-1, 1} {
			b.Run(fmt.Sprintf("latency %s, samples %d", latency, samples), func(b *testing.B) {
				node := chaintest.NewNode(b, chaintest.NodeOptions{Wait: func() { <-time.After(latency) }})
				node.Generate(o)
				c := dial(b, jsonrpc.Options{Samples: samples, Step: 100}, node.URL)
				before, requestsBefore := node.AllCalls()
				logs := 0
				b.ReportAllocs()
				for b.Loop() {
					got, err := c.Range(context.Background(), 1, blocks)
					if err != nil {
						b.Fatal(err)
					}
					logs = 0
					for _, block := range got {
						logs += len(block.Logs)
					}
				}
				calls, requests := node.AllCalls()
				b.ReportMetric(float64(b.N*blocks)/b.Elapsed().Seconds(), "blocks/s")
				b.ReportMetric(float64(b.N*logs)/b.Elapsed().Seconds(), "logs/s")
				b.ReportMetric(float64(calls-before)/float64(b.N), "calls/op")
				b.ReportMetric(float64(requests-requestsBefore)/float64(b.N), "requests/op")
			})
		}
	}
}

// BenchmarkProven proves blocks of about 110 mints and burns.
func BenchmarkProven(b *testing.B) {
	node := chaintest.NewNode(b, chaintest.NodeOptions{})
	o := chaintest.Default()
	o.Blocks = 20
	node.Generate(o)
	c := dial(b, jsonrpc.Options{}, node.URL)
	proved := 0
	for b.Loop() {
		if _, err := c.Proven(context.Background(), uint64(1+proved%20)); err != nil {
			b.Fatal(err)
		}
		proved++
	}
	b.ReportMetric(float64(proved)/b.Elapsed().Seconds(), "blocks/s")
}
