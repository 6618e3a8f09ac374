package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// benchBlocks are 2,000 blocks of 100 records.
func benchBlocks() []nft.Block {
	return branch(1, 1, 3<<24-1000, blockHash(1, 3<<24-1001), 2000, func(*rand.Rand, int) int { return 100 })
}

func loaded(b *testing.B, blocks []nft.Block) *store.Store {
	b.Helper()
	s := open(b, sqliteDSN(b), store.Options{Loading: true})
	for batch := range slices.Chunk(blocks, 100) {
		apply(b, s, batch)
	}
	return s
}

// benchFilters are one of each sort, in the middle of the chain.
func benchFilters(blocks []nft.Block) map[string]store.Filter {
	middle := blocks[1000]
	return map[string]store.Filter{
		"none":                    {},
		"block":                   {Block: &evm.BlockNumberOrHash{Hash: &middle.Header.Hash}},
		"address":                 {Address: ptr(collection(0))},
		"address tokenId":         {Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(7))},
		"transactionHash":         {TransactionHash: &middle.Mints[0].TxHash},
		"transactionHash address": {TransactionHash: &middle.Mints[0].TxHash, Address: &middle.Mints[0].Contract},
		"account":                 {Account: ptr(account(0))},
		"account address":         {Account: ptr(account(0)), Address: ptr(collection(0))},
	}
}

// BenchmarkPage reads a page of 20 deep inside each list.
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
				snap := s.Snapshot()
				p, err := readPage(context.Background(), snap, f, store.PageArgs{})
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
			p, err := readPage(context.Background(), snap, f, store.PageArgs{First: ptr(0)})
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
