package store_test

import (
	"fmt"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// BenchmarkQueue enters, claims and finishes 100,000 tokens of one collection,
// each with five traits of ten values each, 100 at a time.
func BenchmarkQueue(b *testing.B) {
	const tokens = 100_000
	var blocks []nft.Block
	for i := range uint64(tokens / 1000) {
		blocks = append(blocks, drop(100+i, collection(1), 1000*i, 1000))
	}
	for b.Loop() {
		s, c := open(b, sqliteDSN(b), store.Options{}), newClock()
		apply(b, s, blocks)
		q, n := c.queue(s), 0
		for tasks := range claims(b, q, 100) {
			var results []nft.Resolution
			for _, task := range tasks {
				results = append(results, benchDocument(c, task))
			}
			finish(b, q, results...)
			n += len(tasks)
		}
		if n != tokens {
			b.Fatalf("got %d tokens", n)
		}
	}
	b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// claims yields what is due until nothing is.
func claims(t testing.TB, q *store.Queue, limit int) func(func([]nft.Task) bool) {
	return func(yield func([]nft.Task) bool) {
		for tasks := claim(t, q, limit); len(tasks) > 0 && yield(tasks); tasks = claim(t, q, limit) {
		}
	}
}

func benchDocument(c *clock, task nft.Task) nft.Resolution {
	n, _ := task.TokenID.Uint64()
	r := c.fetched(task, fmt.Sprintf(`{"name":"Token %d","description":"One of many, with a text that is about as long as such texts are.","image":"ipfs://x/%d.png"}`, n, n))
	r.Document.Attributes = slices.Grow(r.Document.Attributes[:0], 5)
	for trait := range uint64(5) {
		r.Document.Attributes = append(r.Document.Attributes, nft.Attribute{
			TraitType: fmt.Sprint("trait ", trait), Value: fmt.Sprint("value ", (n>>(2*trait))%10), Order: evm.Long(trait + 1),
		})
	}
	return r
}
