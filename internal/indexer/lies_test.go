package indexer_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/storetest"
)

// lie is one way in which a node misbehaves.
type lie struct {
	chaintest.Fault
	when func(chaintest.Call) bool
}

func lies() map[string]lie {
	logs, block, receipts := chaintest.Method("eth_getLogs"), chaintest.Method("eth_getBlockByNumber"), chaintest.Method("eth_getBlockReceipts")
	return map[string]lie{
		"drops a log":        {chaintest.DropLog(0), logs},
		"drops the last log": {chaintest.DropLog(-1), logs},
		"an empty list":      {chaintest.Empty(), logs},
		"a log missing in receipts": {chaintest.EditLog(-1, func(receipt map[string]any) {
			if logs := receipt["logs"].([]any); len(logs) > 0 {
				receipt["logs"] = logs[:len(logs)-1]
			}
		}), receipts},
		"no logs in receipts":  {chaintest.Replace(`"data":`, `"removed":true,"data":`), receipts},
		"a missing receipt":    {chaintest.DropLog(-1), receipts},
		"no receipts":          {chaintest.Empty(), receipts},
		"null receipts":        {chaintest.Null(), receipts},
		"logs of another fork": {chaintest.Fault{Fork: true}, logs},
		"another fork":         {chaintest.Fault{Fork: true}, nil},
		"200 with an error":    {chaintest.Fault{Status: http.StatusOK, Body: `{"error":{"code":-32000,"message":"no backend is currently healthy"}}`}, nil},
		"null blocks":          {chaintest.Null(), block},
		"null logs":            {chaintest.Null(), logs},
		"truncated JSON":       {chaintest.Fault{Truncate: true}, nil},
		"10 MB answers":        {chaintest.Fault{Pad: 10 << 20}, logs},
		"behind its own head":  {chaintest.Null(), func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To > 95 }},
		"hangs":                {chaintest.Fault{Hang: make(chan struct{})}, nil},
		"closes connections":   {chaintest.Fault{Close: true}, nil},
		"rate limit":           {chaintest.Fault{Status: http.StatusTooManyRequests}, nil},
		"range limit":          {chaintest.Fault{Code: -32602, Message: "query exceeds max block range 5"}, chaintest.Wider(5)},
	}
}

func (l lie) options() jsonrpc.Options {
	o := jsonrpc.Options{Attempts: 2, MaxBody: 2 << 20, Timeout: 10 * time.Second}
	if l.Hang != nil {
		o.Timeout = 100 * time.Millisecond
	}
	return o
}

// forked returns a node with 100 blocks, the last 10 of which replace
// others.
func forked(t testing.TB) *chaintest.Node {
	t.Helper()
	node, _ := chainOf(t, chaintest.NodeOptions{}, 100)
	random := rand.New(rand.NewPCG(3, 4))
	node.Reorg(10, randomBlocks(random, 10)...)
	return node
}

// TestStep_LieAtFirst has a node lie a few times, both to a fresh database and to one
// that is in use.
func TestStep_LieAtFirst(t *testing.T) {
	long(t)
	for name, l := range lies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := forked(t)
			r := follow(t, storetest.SQLite(t), l.options(), node)
			node.Break(5, l.Fault, l.when)
			r.endure(t)
			node.ClearFaults()
			r.endure(t)
			r.checkHead(t, node)
			mine(node, rand.New(rand.NewPCG(5, 6)), 3)
			node.Break(3, l.Fault, l.when)
			r.endure(t)
			node.ClearFaults()
			r.endure(t)
			r.checkHead(t, node)
		})
	}
}

// TestStep_LieOfOneOfTwo has two endpoints, in either order: one always lies, the other
// is honest.
func TestStep_LieOfOneOfTwo(t *testing.T) {
	long(t)
	for name, l := range lies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, first := range []bool{true, false} {
				liar, honest := forked(t), forked(t)
				liar.Break(0, l.Fault, l.when)
				nodes := []*chaintest.Node{liar, honest}
				if !first {
					nodes = []*chaintest.Node{honest, liar}
				}
				r := follow(t, storetest.SQLite(t), l.options(), nodes...)
				r.endure(t)
				if name == "another fork" && first {
					// A node on another fork looks right until it is fixed or gone.
					liar.ClearFaults()
					r.endure(t)
				}
				r.checkHead(t, honest)
			}
		})
	}
}

// TestStep_OrphanedFork lists an endpoint that is stuck on an orphaned fork before one on
// the canonical fork, with a fresh database and with one that followed the latter.
func TestStep_OrphanedFork(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		dead, living := forked(t), forked(t)
		random := rand.New(rand.NewPCG(9, 9))
		dead.Reorg(10, randomBlocks(random, 10)...)
		mine(living, random, 100)
		dsn := storetest.SQLite(t)
		if !fresh {
			follow(t, dsn, jsonrpc.Options{}, living).settle(t)
		}
		r := follow(t, dsn, jsonrpc.Options{}, dead, living)
		for range 5 {
			r.endure(t)
			r.checkHead(t, living)
			mine(living, random, 10)
		}
	}
}

// TestStep_DropAtTheHead leaves a log out of the newest block, which is read from its
// receipts whatever the number of samples.
func TestStep_DropAtTheHead(t *testing.T) {
	r, node, _ := followed(t, chaintest.NodeOptions{}, 100)
	r.settle(t)
	for id := range uint64(5) {
		node.Mine([]evm.Log{mint(id)}, []evm.Log{mint(100 + id), mint(200 + id)})
		node.Break(1, chaintest.DropLog(int(id%3)), chaintest.Method("eth_getLogs"))
		r.endure(t)
		r.checkHead(t, node)
	}
}
