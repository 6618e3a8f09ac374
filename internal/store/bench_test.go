package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// benchBlocks returns 2,000 blocks of 100 records each.
func benchBlocks() []nft.Block {
	return branch(1, 1, 3<<24-1000, blockHash(1, 3<<24-1001), 2000, func(*rand.Rand, int) int { return 100 })
}

func loaded(b *testing.B, blocks []nft.Block) *write.DB {
	b.Helper()
	s := open(b, storetest.SQLite(b), write.Options{Options: database.Options{Loading: true}})
	for batch := range slices.Chunk(blocks, 100) {
		apply(b, s, batch)
	}
	return s
}

// benchFilters returns a filter of each sort, in the middle of the chain.
func benchFilters(blocks []nft.Block) map[string]store.Filter {
	middle := blocks[1000]
	var addresses []evm.Address
	for i := range apierror.MaxValues {
		addresses = append(addresses, collection(i))
	}
	return map[string]store.Filter{
		"none":                    {},
		"block":                   {Block: &evm.BlockNumberOrHash{Hash: &middle.Header.Hash}},
		"address":                 {Address: ptr(collection(0))},
		"address tokenId":         {Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(7))},
		"transactionHash":         {TransactionHash: &middle.Mints[0].TxHash},
		"transactionHash address": {TransactionHash: &middle.Mints[0].TxHash, Address: &middle.Mints[0].Contract},
		"addresses":               {Addresses: addresses},
		"account":                 {Account: ptr(account(0))},
		"account address":         {Account: ptr(account(0)), Address: ptr(collection(0))},
	}
}

// BenchmarkPage reads a page of 20 records deep inside each list.
func BenchmarkPage(b *testing.B) {
	blocks := benchBlocks()
	s := loaded(b, blocks)
	for name, f := range benchFilters(blocks) {
		b.Run(name, func(b *testing.B) {
			if f.Block == nil && f.TransactionHash == nil {
				f.FromBlock = ptr(evm.Long(blocks[1000].Header.Number))
				f.ToBlock = ptr(evm.Long(blocks[1999].Header.Number))
			}
			b.ReportAllocs()
			for b.Loop() {
				snap := store.NewSnapshot(s.Snapshot())
				p, err := readPage(context.Background(), snap, f, page.Args{})
				if err != nil || len(p.Items) == 0 {
					b.Fatalf("got error %v", err)
				}
				if _, err := p.NextCursor(context.Background()); err != nil {
					b.Fatal(err)
				}
				expect.NoError(b, snap.Close())
			}
		})
	}
}

// BenchmarkTotal totals a range that cuts nodes of every level.
func BenchmarkTotal(b *testing.B) {
	blocks := benchBlocks()
	s := loaded(b, blocks)
	for name, f := range benchFilters(blocks) {
		if f.Block == nil {
			f.FromBlock = ptr(evm.Long(blocks[77].Header.Number))
			f.ToBlock = ptr(evm.Long(blocks[1903].Header.Number))
		}
		b.Run(name, func(b *testing.B) {
			snap := snapshot(b, s)
			p, err := readPage(context.Background(), snap, f, page.Args{First: ptr(0)})
			expect.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Total(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkApply stores 200,000 records in an empty database.
func BenchmarkApply(b *testing.B) {
	blocks := benchBlocks()
	records := 0
	for _, block := range blocks {
		records += len(block.Mints) + len(block.Burns)
	}
	for b.Loop() {
		loaded(b, blocks)
	}
	b.ReportMetric(float64(records*b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkFollow stores blocks of 20 records one by one, as a follower does, and raises the finalized block
// every 32 blocks.
func BenchmarkFollow(b *testing.B) {
	const blocks, epoch = 320, 32
	chain := branch(1, 1, 1000, blockHash(1, 999), blocks, func(*rand.Rand, int) int { return 20 })
	for name, dsn := range map[string]func(testing.TB) string{"SQLite": storetest.SQLite, "PostgreSQL": func(t testing.TB) string { return pgtest.DSN(t) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := open(b, dsn(b), write.Options{})
				b.StartTimer()
				for i := range chain {
					apply(b, s, chain[i:i+1])
					if i%epoch == epoch-1 {
						expect.NoError(b, s.SetFinalized(context.Background(), chain[i].Header))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(blocks*b.N), "µs/block")
		})
	}
}

// BenchmarkFollow_Swinging rolls 16 blocks back and stores them again, one by one, so that eight
// collections swing around the 512 records from which on a scope has a counter tree.
func BenchmarkFollow_Swinging(b *testing.B) {
	const swing = 16
	var chain []nft.Block
	for number := range uint64(512 + swing/2) {
		block := drop(100+number, collection(0), number, 1)
		for i := range 7 {
			r := block.Mints[0]
			r.Contract, r.LogIndex = collection(i+1), uint32(i+1)
			block.Mints = append(block.Mints, r)
		}
		chain = append(chain, block)
	}
	below, above := chain[:len(chain)-swing], chain[len(chain)-swing:]
	for name, dsn := range map[string]func(testing.TB) string{"SQLite": storetest.SQLite, "PostgreSQL": func(t testing.TB) string { return pgtest.DSN(t) }} {
		b.Run(name, func(b *testing.B) {
			s := open(b, dsn(b), write.Options{})
			apply(b, s, chain)
			for b.Loop() {
				expect.NoError(b, s.ReplaceAbove(context.Background(), below[len(below)-1].Header.Number, nil, false))
				for i := range above {
					apply(b, s, above[i:i+1])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(swing*b.N), "µs/block")
		})
	}
}

// BenchmarkQueue enters, claims and finishes 100,000 tokens of one collection, 100 at a
// time. Each has five traits of ten values each.
func BenchmarkQueue(b *testing.B) {
	const tokens = 100_000
	var blocks []nft.Block
	for i := range uint64(tokens / 1000) {
		blocks = append(blocks, drop(100+i, collection(1), 1000*i, 1000))
	}
	for b.Loop() {
		s, c := open(b, storetest.SQLite(b), write.Options{}), newClock()
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

// claims yields claimed tasks until no token is due.
func claims(t testing.TB, q *write.Queue, limit int) func(func([]nft.Task) bool) {
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
