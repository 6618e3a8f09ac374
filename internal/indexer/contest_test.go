package indexer_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestStep_GapsSideBySide checks that blocks that no method gives, in whatever words, wait at the
// same time: after an hour all are left out, and nothing else.
func TestStep_GapsSideBySide(t *testing.T) {
	long(t)
	bad := []uint64{7, 31, 32, 33, 77}
	for name, fault := range map[string]chaintest.Fault{
		"words that no list knows": {Code: -32000, Message: "the moon is in the wrong house"},
		"a crash":                  {Code: -32603, Message: "method handler crashed"},
		"another code":             {Code: 12, Message: "requested epoch was a null round"},
		"a server error":           {Code: -32603, Message: "Internal server error"},
		"not found":                {Status: http.StatusNotFound},
		"HTTP 500":                 {Status: http.StatusInternalServerError},
		"null":                     chaintest.Null(),
	} {
		for path, receipts := range map[string]uint64{"ranges": 0, "receipts": 1000} {
			t.Run(name+", "+path, func(t *testing.T) {
				node := minted(t, 100)
				for _, number := range bad {
					node.Break(0, fault, func(c chaintest.Call) bool {
						ranges := c.Method == "eth_getLogs" && c.From <= number && number <= c.To
						return ranges || strings.Contains(c.Method, "Receipt") && c.To == number
					})
				}
				r, pass := patient(t, storetest.SQLite(t), node)
				r.ReceiptsDepth, r.HeaderDepth = receipts, receipts
				_ = r.stuck(t)
				pass(time.Hour + time.Second)
				r.settle(t)
				var left []uint64
				for _, gap := range r.gaps(t) {
					for number := gap.FromBlock; number <= gap.ToBlock; number++ {
						left = append(left, number)
					}
				}
				expect.Equal(t, "left out", bad, left)
				node.ClearFaults()
				pass(24 * time.Hour)
				r.sparse = receipts == 0
				r.settleAt(t, node)
				r.wantRanges(t, evm.Range{To: 100})
				r.wantStep(t, indexer.ErrIdle)
			})
		}
	}
}
