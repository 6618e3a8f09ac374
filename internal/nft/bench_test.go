package nft_test

import (
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// BenchmarkDecode decodes a block of 400 logs with a mix like mainnet's (a third ERC-20
// transfers, half other irrelevant logs, the rest NFT events), and a block with only NFT
// mints, as in a filtered bulk load.
func BenchmarkDecode(b *testing.B) {
	approval := sig("Approval(address,address,uint256)")
	fill := func(pick func(i int) evm.Log) []evm.Log {
		logs := make([]evm.Log, 400)
		for i := range logs {
			logs[i] = at(uint32(i), pick(i))
		}
		return logs
	}
	for _, bench := range []struct {
		name string
		logs []evm.Log
	}{
		{"mixed", fill(func(i int) evm.Log {
			switch {
			case i%3 == 0:
				return newLog(numbers(9), sigTransfer, pad(alice), pad(bob))
			case i%20 == 1:
				return transfer721(zero, alice, uint64(i))
			case i%20 == 2:
				return transfer721(alice, bob, uint64(i))
			case i%40 == 7:
				return single(alice, bob, numbers(9, 3))
			default:
				return newLog(numbers(1, 2, 3), approval, pad(alice), pad(bob))
			}
		})},
		{"mints", fill(func(i int) evm.Log { return transfer721(zero, alice, uint64(i)) })},
		{"batches", fill(func(int) evm.Log { return batch(zero, alice, numbers(64, 160, 2, 7, 8, 2, 70, 80)) })},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var decoder nft.Decoder
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decoder.Decode(header, bench.logs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(bench.logs))/b.Elapsed().Seconds(), "logs/s")
		})
	}
}
