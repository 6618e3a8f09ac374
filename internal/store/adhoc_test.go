package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/store"
)

func TestAdhoc(t *testing.T) {
	path := os.Getenv("ADHOC_DB")
	var n int
	fmt.Sscan(os.Getenv("ADHOC_BLOCKS"), &n)
	_, missing := os.Stat(path)
	s := open(t, path, store.Options{Loading: true})
	step := uint64(3600 * 999 / n)
	if missing != nil {
		expect.NoError(t, s.Load().Begin(t.Context()))
		parent := blockHash(1, 999)
		for at := 0; at < n; at += 200 {
			blocks := branch(1, 1, 1000+uint64(at), parent, 200, func(*rand.Rand, int) int { return 100 })
			for i := range blocks {
				blocks[i].Header.Time = 1_600_000_000 + step*blocks[i].Header.Number
			}
			parent = blocks[199].Header.Hash
			apply(t, s, blocks)
		}
		finishLoad(t, s)
	}
	for range 5 {
		for name, f := range map[string]store.Filter{"all": {}, "collection": {Address: ptr(collection(0))}, "token": {Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(7))}, "account": {Account: ptr(account(0))}, "small": {Address: ptr(collection(3))}, "rare account": {Account: ptr(account(5)), Address: ptr(collection(3))}} {
			read(t, s, func(snap *store.Snapshot) {
				p := pageOf(t, snap, f, store.PageArgs{First: ptr(1)})
				now := time.Now()
				b, err := p.Buckets(t.Context(), store.Hour)
				d := time.Since(now)
				expect.NoError(t, err)
				fmt.Println(name, len(b), d, totalOf(t, p))
			})
		}
	}
}
