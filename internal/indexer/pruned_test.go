package indexer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// pruning are the ways in which nodes answer for blocks that they have pruned. Each makes a
// node prune the blocks below first.
var pruning = map[string]func(node *chaintest.Node, first *atomic.Uint64){
	"an error code": refusing(chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, "eth_getBlockReceipts", "eth_getTransactionReceipt", "eth_getLogs"),
	"an error code for headers too": refusing(chaintest.Fault{Code: 4444, Message: "pruned history unavailable"},
		"eth_getBlockByNumber", "eth_getBlockByHash", "eth_getBlockReceipts", "eth_getTransactionReceipt", "eth_getLogs"),
	"words that no list knows": refusing(chaintest.Fault{Code: -32000, Message: "ask somebody else"}, "eth_getBlockReceipts", "eth_getTransactionReceipt", "eth_getLogs"),
	"no block": func(node *chaintest.Node, first *atomic.Uint64) {
		refusing(chaintest.Null(), "eth_getBlockByNumber", "eth_getBlockByHash", "eth_getBlockReceipts", "eth_getTransactionReceipt")(node, first)
		hideLogs(node, first)
	},
	"no receipts and no logs": func(node *chaintest.Node, first *atomic.Uint64) {
		refusing(chaintest.Null(), "eth_getBlockReceipts", "eth_getTransactionReceipt")(node, first)
		hideLogs(node, first)
	},
	"empty lists": func(node *chaintest.Node, first *atomic.Uint64) {
		refusing(chaintest.Empty(), "eth_getBlockReceipts")(node, first)
		refusing(chaintest.Null(), "eth_getTransactionReceipt")(node, first)
		hideLogs(node, first)
	},
}

// boundaryAt returns a first block for pruning.
func boundaryAt(first uint64) *atomic.Uint64 {
	boundary := new(atomic.Uint64)
	boundary.Store(first)
	return boundary
}

// refusing returns a function that makes a node answer calls of methods for blocks below
// first with a fault.
func refusing(fault chaintest.Fault, methods ...string) func(node *chaintest.Node, first *atomic.Uint64) {
	return func(node *chaintest.Node, first *atomic.Uint64) {
		node.Break(0, fault, func(c chaintest.Call) bool {
			block := c.To
			if c.Method == "eth_getLogs" {
				block = c.From
			}
			return slices.Contains(methods, c.Method) && block < first.Load()
		})
	}
}

// hideLogs makes a node leave the logs of blocks below first out of lists.
func hideLogs(node *chaintest.Node, first *atomic.Uint64) {
	node.Break(0, chaintest.Fault{Edit: func(list json.RawMessage) json.RawMessage {
		var logs []map[string]any
		if json.Unmarshal(list, &logs) != nil {
			return list
		}
		logs = slices.DeleteFunc(logs, func(log map[string]any) bool {
			var number uint64
			_, err := fmt.Sscanf(fmt.Sprint(log["blockNumber"]), "0x%x", &number)
			return err == nil && number < first.Load()
		})
		text, _ := json.Marshal(logs)
		return text
	}}, func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.From < first.Load() })
}

// minted returns a node with a genesis and count blocks that each have mints.
func minted(t testing.TB, count uint64) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10})
	for id := range count {
		node.Mine([]evm.Log{mint(id)}, []evm.Log{mint(1000 + id)})
	}
	return node
}

// TestStep_Pruned checks that the follower of a pruned node indexes from the first block that
// the node has, that the rest is one gap, and that a node with history fills it.
func TestStep_Pruned(t *testing.T) {
	const first = 60
	for name, prune := range pruning {
		for path, receipts := range map[string]uint64{"ranges": 0, "receipts": 1000} {
			t.Run(name+", "+path, func(t *testing.T) {
				node, boundary := minted(t, 100), boundaryAt(first)
				prune(node, boundary)
				dsn := storetest.SQLite(t)
				r, _ := patient(t, dsn, node)
				var log bytes.Buffer
				r.Log = slog.New(slog.NewTextHandler(&log, nil))
				r.ReceiptsDepth, r.HeaderDepth = receipts, receipts
				r.settle(t)
				r.wantRanges(t, evm.Range{From: first, To: 100})
				if gaps := r.gaps(t); len(gaps) != 1 || gaps[0].Range() != (evm.Range{To: first - 1}) || gaps[0].Reason != evm.ReasonPruned {
					t.Errorf("gaps %+v, want one from block 0 to %d", gaps, first-1)
				}
				if n := strings.Count(log.String(), fmt.Sprintf("--from-block %d", first)); n != 1 {
					t.Errorf("--from-block %d is named %d times in the log:\n%s", first, n, log.String())
				}
				if h := r.Source.(source).Health()[0]; h.FirstBlock != first || h.LeavesOut {
					t.Errorf("health %+v, want the first block %d, and ranges of logs", h, first)
				}
				// The next process also has a node with history.
				whole := minted(t, 100)
				r, _ = patient(t, dsn, node, whole)
				r.ReceiptsDepth, r.HeaderDepth, r.sparse = receipts, receipts, receipts == 0
				r.settleAt(t, whole)
				r.wantRanges(t, evm.Range{To: 100})
			})
		}
	}
}

// TestStep_PrunedOneOfTwo checks that the blocks that one node has pruned are read from
// another.
func TestStep_PrunedOneOfTwo(t *testing.T) {
	for name, prune := range pruning {
		t.Run(name, func(t *testing.T) {
			node, whole, boundary := minted(t, 100), minted(t, 100), boundaryAt(60)
			prune(node, boundary)
			r, _ := patient(t, storetest.SQLite(t), node, whole)
			r.settleAt(t, whole)
			r.wantRanges(t, evm.Range{To: 100})
			expect.Equal(t, "gaps", 0, len(r.gaps(t)))
		})
	}
}

// TestStep_PrunedMeanwhile checks that blocks that a node prunes during a backfill become a gap,
// which is tried again at most a day later.
func TestStep_PrunedMeanwhile(t *testing.T) {
	long(t)
	for name, prune := range pruning {
		t.Run(name, func(t *testing.T) {
			node, boundary := minted(t, 400), boundaryAt(20)
			prune(node, boundary)
			r, pass := patient(t, storetest.SQLite(t), node)
			r.HeaderDepth, r.ReceiptsDepth, r.Workers, r.sparse = 0, 0, 1, true
			r.Progress = func(indexer.Progress) { boundary.Store(300) }
			r.settle(t)
			indexed, err := r.store.Indexed(t.Context())
			expect.NoError(t, err)
			if len(indexed) != 2 || indexed[0].From != 20 || indexed[1] != (evm.Range{From: 300, To: 400}) {
				t.Fatalf("indexed %v, want a range from 20 to below 300, and 300 to 400", indexed)
			}
			for range 8 {
				pass(24 * time.Hour)
				r.wantStep(t, indexer.ErrIdle)
				for _, gap := range r.gaps(t) {
					if next := time.Unix(int64(gap.NextTry), 0).Sub(r.Now()); gap.Reason != evm.ReasonPruned || next > 24*time.Hour {
						t.Fatalf("gap %+v, next try in %s", gap, next)
					}
				}
			}
			node.ClearFaults()
			pass(24 * time.Hour)
			r.settleAt(t, node)
			r.wantRanges(t, evm.Range{To: 400})
		})
	}
}

// TestStep_PrunedAboveFinalized has a node without a block that is not final yet: nothing is
// left out until it is final, because another branch may have it.
func TestStep_PrunedAboveFinalized(t *testing.T) {
	long(t)
	onEach(t, func(t *testing.T, dsn string) {
		const first = 95
		node := minted(t, 100)
		pruning["an error code"](node, boundaryAt(first))
		r, _ := patient(t, dsn, node)
		// The client looks no further than its endpoint's own finalized block, which may be above
		// the follower's.
		r.Pruned = func(err error) (uint64, bool) { return first, errors.Is(err, rpcerror.ErrPruned) }
		for range 3 {
			waiting := r.stuck(t)
			if got := r.gaps(t); len(got) > 0 || !errors.Is(waiting, rpcerror.ErrPruned) {
				t.Fatalf("error %v, gaps %+v", waiting, got)
			}
		}
		for id := range uint64(5) {
			node.Mine([]evm.Log{mint(100 + id)})
		}
		r.settle(t)
		// The genesis block has no receipts.
		r.wantRanges(t, evm.Range{}, evm.Range{From: first, To: 105})
		if gaps := r.gaps(t); len(gaps) != 1 || gaps[0].Range() != (evm.Range{From: 1, To: first - 1}) || gaps[0].Reason != evm.ReasonPruned {
			t.Errorf("gaps %+v, want one from block 1 to %d", gaps, first-1)
		}
	})
}
