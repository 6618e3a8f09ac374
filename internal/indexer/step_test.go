package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// mined is a node with random blocks, shared by all tests. It has the largest number of
// blocks requested so far.
var mined struct {
	sync.Mutex
	node   *chaintest.Node
	random *rand.Rand
}

// chainOf returns a node with a genesis and count random blocks, the same in each call.
func chainOf(t testing.TB, o chaintest.NodeOptions, count int) (*chaintest.Node, *rand.Rand) {
	t.Helper()
	mined.Lock()
	defer mined.Unlock()
	if mined.node == nil {
		mined.node, mined.random = chaintest.NewNode(t, chaintest.NodeOptions{}), rand.New(rand.NewPCG(1, 2))
	}
	mine(mined.node, mined.random, count+1-len(mined.node.Blocks()))
	return mined.node.Copy(t, o, count+1), rand.New(rand.NewPCG(uint64(count), 2))
}

// followed is chainOf, with a follower on a fresh database.
func followed(t testing.TB, o chaintest.NodeOptions, count int) (*rig, *chaintest.Node, *rand.Rand) {
	t.Helper()
	node, random := chainOf(t, o, count)
	return follow(t, storetest.SQLite(t), jsonrpc.Options{}, node), node, random
}

func mine(node *chaintest.Node, r *rand.Rand, count int) {
	for range count {
		node.Mine(randomTxs(r)...)
	}
}

func TestStep_FreshDatabase(t *testing.T) {
	for name, dsn := range storetest.Databases() {
		for _, count := range []int{0, 1, 63, 64, 65, 200} {
			if name == "postgres" && count != 200 {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d blocks", name, count), func(t *testing.T) {
				node, _ := chainOf(t, chaintest.NodeOptions{}, count)
				r := follow(t, dsn(t), jsonrpc.Options{}, node)
				r.settleAt(t, node)
			})
		}
	}
}

func TestStep_NothingNew(t *testing.T) {
	r, node, random := followed(t, chaintest.NodeOptions{}, 100)
	r.settle(t)
	before, _ := node.AllCalls()
	r.wantStep(t, indexer.ErrIdle)
	if after, _ := node.AllCalls(); after-before > 2 {
		t.Errorf("%d calls to find nothing new, want at most 2", after-before)
	}
	mine(node, random, 1)
	r.wantStep(t, nil)
	r.wantStep(t, indexer.ErrIdle)
	r.checkHead(t, node)
}

func TestStep_To(t *testing.T) {
	for _, to := range []uint64{0, 1, 30, 36, 37, 80, 100} {
		t.Run(fmt.Sprint(to), func(t *testing.T) {
			r, node, _ := followed(t, chaintest.NodeOptions{}, 100)
			r.To = &to
			r.settle(t)
			r.wantStep(t, indexer.ErrDone)
			r.check(t, node, to)
		})
	}
}

// TestStep_ToBeyondTheHead checks that the follower waits for block To.
func TestStep_ToBeyondTheHead(t *testing.T) {
	r, node, random := followed(t, chaintest.NodeOptions{}, 20)
	r.To = ptr(uint64(25))
	r.settle(t)
	r.wantStep(t, indexer.ErrIdle)
	mine(node, random, 10)
	r.settle(t)
	r.wantStep(t, indexer.ErrDone)
	r.check(t, node, 25)
}

// TestStep_ToWasOrphaned replaces block To after it was stored.
func TestStep_ToWasOrphaned(t *testing.T) {
	r, node, random := followed(t, chaintest.NodeOptions{}, 100)
	r.To = ptr(uint64(98))
	r.settle(t)
	node.Reorg(10, randomBlocks(random, 12)...)
	r.settle(t)
	r.wantStep(t, indexer.ErrDone)
	r.check(t, node, 98)
}

// TestStep_Resume stops at several blocks and continues with a new follower each time.
func TestStep_Resume(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		node, random := chainOf(t, chaintest.NodeOptions{}, 300)
		path := dsn
		last := uint64(0)
		for _, to := range []uint64{0, 7, 8, 100, 236, 237, 290, 300} {
			r := follow(t, path, jsonrpc.Options{Step: 10, MaxStep: 10}, node)
			r.To = &to
			r.Progress = func(p indexer.Progress) {
				if first := p.Block + 1 - uint64(p.Blocks); first != last+1 && last != 0 {
					t.Errorf("continues with block %d after %d", first, last)
				}
				last = p.Block
			}
			r.settle(t)
			r.check(t, node, to)
		}
		mine(node, random, 5)
		r := follow(t, path, jsonrpc.Options{}, node)
		r.settleAt(t, node)
	})
}

func TestStep_FromTheMiddle(t *testing.T) {
	for _, from := range []uint64{1, 20, 36, 37, 95, 100} {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			r, node, random := followed(t, chaintest.NodeOptions{}, 100)
			r.From = from
			r.settleAt(t, node)
			mine(node, random, 3)
			r.settleAt(t, node)
		})
	}
}

// TestStep_FromBeyondTheHead checks that the follower waits for block From.
func TestStep_FromBeyondTheHead(t *testing.T) {
	r, node, random := followed(t, chaintest.NodeOptions{}, 10)
	r.From = 15
	r.wantStep(t, indexer.ErrIdle)
	mine(node, random, 10)
	r.settleAt(t, node)
}

func TestStep_LaggingNode(t *testing.T) {
	r, node, random := followed(t, chaintest.NodeOptions{}, 100)
	r.settle(t)
	for _, lag := range []uint64{1, 30, 70, 100} {
		node.Lag(lag)
		r.wantStep(t, indexer.ErrIdle)
		r.checkHead(t, node)
	}
	node.Lag(0)
	mine(node, random, 2)
	r.settleAt(t, node)
}

func TestStep_Reorg(t *testing.T) {
	for name, test := range map[string]struct{ blocks, depth, longer int }{
		"depth 1":                            {100, 1, 1},
		"depth 1, same height":               {100, 1, 0},
		"depth 5":                            {100, 5, 1},
		"depth 30":                           {100, 30, 3},
		"to a lower height":                  {100, 20, -10},
		"to a lower height by one":           {100, 2, -1},
		"much longer than one fetch":         {100, 3, 200},
		"all but the genesis":                {50, 50, 1},
		"deeper than finality":               {200, 100, 1},
		"deeper than finality, lower height": {200, 150, -60},
		"deeper than finality, much higher":  {200, 150, 300},
	} {
		for db, dsn := range storetest.Databases() {
			if db == "postgres" && test.depth != 30 {
				continue
			}
			t.Run(name+", "+db, func(t *testing.T) {
				if test.blocks > 100 {
					long(t)
				}
				node, random := chainOf(t, chaintest.NodeOptions{}, test.blocks)
				r := follow(t, dsn(t), jsonrpc.Options{}, node)
				r.settle(t)
				node.Reorg(test.depth, randomBlocks(random, test.depth+test.longer)...)
				r.settleAt(t, node)
				mine(node, random, 2)
				r.settleAt(t, node)
			})
		}
	}
}

// TestStep_ReorgOfAllIndexedBlocks puts the common ancestor below the first block to
// index.
func TestStep_ReorgOfAllIndexedBlocks(t *testing.T) {
	for _, longer := range []int{2, 0, -1} {
		t.Run(fmt.Sprint(longer), func(t *testing.T) {
			r, node, random := followed(t, chaintest.NodeOptions{}, 100)
			r.From = 95
			r.settle(t)
			node.Reorg(10, randomBlocks(random, 10+longer)...)
			r.settleAt(t, node)
		})
	}
}

// TestStep_ReorgAmongSparseHeaders puts empty blocks without stored headers around the
// common ancestor.
func TestStep_ReorgAmongSparseHeaders(t *testing.T) {
	long(t)
	for depth := 66; depth < 90; depth++ {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		for number := range uint64(200) {
			if number%5 == 0 {
				node.Mine([]evm.Log{mint(number)})
			} else {
				node.MineEmpty(1)
			}
		}
		r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
		r.HeaderDepth = 10
		r.settle(t)
		var branch [][][]evm.Log
		for i := range uint64(depth + 1) {
			branch = append(branch, [][]evm.Log{{mint(1000 + i)}})
		}
		node.Reorg(depth, branch...)
		r.settle(t)
		want, got := canonical(t, node, 0, 201), r.stored(t, 0, 201)
		want.Headers, got.Headers = nil, nil
		expect.Equal(t, fmt.Sprintf("stored, depth %d", depth), want, got)
		r.checkTotals(t, want, 201)
	}
}

// TestStep_BackAndForth checks that an orphaned branch can become canonical again.
func TestStep_BackAndForth(t *testing.T) {
	a, random := chainOf(t, chaintest.NodeOptions{}, 100)
	b, _ := chainOf(t, chaintest.NodeOptions{}, 100)
	b.Reorg(10, randomBlocks(random, 12)...)
	path := storetest.SQLite(t)
	for range 3 {
		for _, node := range []*chaintest.Node{a, b} {
			r := follow(t, path, jsonrpc.Options{}, node)
			r.settleAt(t, node)
		}
	}
}

// TestStep_ReorgDuringTheFetch starts a reorg at each of the first 8 requests in turn.
// The store must contain a single branch in the end.
func TestStep_ReorgDuringTheFetch(t *testing.T) {
	for at := 1; at <= 8; at++ {
		t.Run(fmt.Sprintf("request %d", at), func(t *testing.T) {
			var node *chaintest.Node
			var random *rand.Rand
			requests := 0
			armed := false
			node, random = chainOf(t, chaintest.NodeOptions{Wait: func() {
				if !armed {
					return
				}
				if requests++; requests == at {
					node.Reorg(9, randomBlocks(random, 11)...)
				}
			}}, 60)
			r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
			r.settle(t)
			mine(node, random, 5)
			armed = true
			r.endure(t)
			if armed = false; requests >= at {
				r.endure(t)
			}
			r.checkHead(t, node)
		})
	}
}

// TestStep_LogsOfABranchWithout returns the header of a block with a log from the
// canonical branch, and an empty range of logs from another.
func TestStep_LogsOfABranchWithout(t *testing.T) {
	r, node, _ := followed(t, chaintest.NodeOptions{}, 100)
	r.settle(t)
	node.MineEmpty(1)
	node.Reorg(1, [][]evm.Log{{mint(1)}})
	node.Break(4, chaintest.Fault{Fork: true}, func(c chaintest.Call) bool { return c.Batch == 4 })
	r.endure(t)
	r.checkHead(t, node)
}

// TestStep_ReorgOfMany has enough records for counter trees.
func TestStep_ReorgOfMany(t *testing.T) {
	long(t)
	onEach(t, func(t *testing.T, dsn string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		contents := chaintest.Default()
		contents.Blocks, contents.Records, contents.Collections = 80, 40, 2
		node.Generate(contents)
		r := follow(t, dsn, jsonrpc.Options{}, node)
		r.settle(t)
		random := rand.New(rand.NewPCG(5, 6))
		for _, depth := range []int{1, 30, 70} {
			node.Reorg(depth, randomBlocks(random, depth+1)...)
			r.settleAt(t, node)
		}
	})
}

// TestStep_AnotherChain follows a chain that shares no indexed block with the store.
func TestStep_AnotherChain(t *testing.T) {
	for _, test := range []struct {
		count int
		from  uint64
	}{
		// The scripted nodes have the same genesis.
		{70, 1}, {100, 1}, {400, 1},
		// The first block is the finalized block, 64 below the head.
		{100, 36},
	} {
		t.Run(fmt.Sprint(test.count, " from ", test.from), func(t *testing.T) {
			node, _ := chainOf(t, chaintest.NodeOptions{}, 100)
			path := storetest.SQLite(t)
			r := follow(t, path, jsonrpc.Options{}, node)
			r.From = test.from
			r.settle(t)
			other, random := chainOf(t, chaintest.NodeOptions{}, 1)
			other.Reorg(1, randomBlocks(random, test.count)...)
			foreign := follow(t, path, jsonrpc.Options{}, other)
			foreign.From = test.from
			for range 3 {
				if err := foreign.Step(t.Context()); err == nil || !strings.Contains(err.Error(), "another chain") {
					t.Fatalf("got %v, want an error that names another chain", err)
				}
			}
			r.checkHead(t, node)
		})
	}
}

// TestStep_LongAbsence has an orphaned tip, and final blocks far above it.
func TestStep_LongAbsence(t *testing.T) {
	long(t)
	r, node, random := followed(t, chaintest.NodeOptions{}, 100)
	r.settle(t)
	node.Reorg(12, randomBlocks(random, 500)...)
	r.settleAt(t, node)
}
