package counter_test

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
)

// A transaction writes 2,000 mints of two tokens each, four in each of 500 blocks, and
// then updates the counters. The total of a range, and its sum of amounts, takes a few
// nodes and a count of the remaining records.
func Example() {
	ctx, rows := context.Background(), newMemory()
	trees := counter.New(rows, map[string]struct{}{})
	for n := range int64(2_000) {
		r := record{amount: evm.NewUint256(2), Record: counter.Record{Kind: nft.Mint, Contract: 1, Block: 18_000_000 + uint64(n)/4, Position: n}}
		rows.records = append(rows.records, r)
		trees.Add(r.Record, r.tally())
	}
	if err := trees.Flush(ctx); err != nil {
		fmt.Println(err)
		return
	}
	mints := counter.Filter{Kind: nft.Mint}.Scope()
	total, counted, err := rows.total(ctx, mints, evm.Range{From: 18_000_010, To: 18_000_489})
	fmt.Println(total.N, total.Amount, counted <= 2*counter.LeafSize, err)
	// Output: 1920 3840 true <nil>
}
