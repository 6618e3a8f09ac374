package export

import (
	"encoding/binary"
	"io"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// BenchmarkWrite writes pages of 1,000 mints that are already in memory.
func BenchmarkWrite(b *testing.B) {
	rows := make([]*store.Transfer, 100_000)
	for i := range rows {
		n := uint64(i)
		t := &store.Transfer{Block: evm.BlockRef{Number: n / 50, Hash: hashOf(n / 50)}, Time: n}
		t.Contract, t.TokenID, t.Amount, t.TxHash = addressOf(n%200), evm.NewUint256(n), evm.NewUint256(1), hashOf(n/10)
		if t.Type = nft.ERC721; i%5 == 0 {
			t.Type, t.Operator = nft.ERC1155, addressOf(n%900)
		}
		t.To, t.LogIndex = addressOf(n%5000), uint32(n%50)
		rows[i] = t
	}
	for _, format := range []string{NDJSON, CSV, Parquet} {
		b.Run(format, func(b *testing.B) {
			if format == Parquet && !HasParquet {
				b.Skip("this build has no Parquet: -tags parquet")
			}
			w, err := newWriter(Options{Format: format}, io.Discard, transferColumns)
			if err != nil {
				b.Fatal(err)
			}
			for n := 0; b.Loop(); n += 1000 {
				at := n % len(rows)
				if err := w.write(rows[at : at+1000]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
		})
	}
}

// hashOf returns pseudo-random bytes that depend on n.
func hashOf(n uint64) (h evm.Hash) {
	for i := range 4 {
		n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		n ^= n >> 29
		binary.BigEndian.PutUint64(h[8*i:], n)
	}
	return h
}

func addressOf(n uint64) evm.Address {
	h := hashOf(n)
	return evm.Address(h[:20])
}
