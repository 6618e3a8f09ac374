package digest

import (
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// BenchmarkRecord adds a record to a tree.
func BenchmarkRecord(b *testing.B) {
	r := nft.Record{Type: nft.ERC721, Contract: evm.Address{1, 2, 3}, TokenID: evm.NewUint256(123456), Amount: evm.NewUint256(1), To: evm.Address{9, 8}, TxHash: evm.Hash{7, 6}, LogIndex: 45}
	t := newTree(nil)
	b.ReportAllocs()
	for b.Loop() {
		t.record(&r, evm.BlockRef{Number: 17_000_000, Hash: evm.Hash{4, 5}}, 1_700_000_000)
	}
}
