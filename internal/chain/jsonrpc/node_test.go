package jsonrpc_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// filled returns a node with a genesis and count blocks of mints, burns and
// ERC-20 transfers.
func filled(t testing.TB, o chaintest.NodeOptions, count int) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, o)
	node.Generate(contents(count))
	return node
}

func contents(count int) chaintest.Options {
	o := chaintest.Default()
	o.Blocks, o.Records, o.NoiseShare = count, 6, 0.3
	return o
}

// checkBlocks compares the blocks of a range with the node's: only the selected logs, only
// blocks that have some, and parent hashes only if got has them.
func checkBlocks(t testing.TB, whole, got []evm.Block) {
	t.Helper()
	byNumber := map[uint64]evm.Hash{}
	for _, b := range got {
		byNumber[b.Header.Number] = b.Header.ParentHash
	}
	var want []evm.Block
	for _, b := range whole {
		b.Logs = standard(b.Logs)
		if byNumber[b.Header.Number] == (evm.Hash{}) {
			b.Header.ParentHash = evm.Hash{}
		}
		if len(b.Logs) > 0 {
			want = append(want, b)
		}
	}
	// cmp is a thousand times slower.
	if len(want)+len(got) == 0 || reflect.DeepEqual(want, got) {
		return
	}
	expect.Equal(t, "blocks", want, got, cmpopts.EquateEmpty())
}

// standard returns the logs with four topics, which excludes ERC-20 transfers.
func standard(logs []evm.Log) (kept []evm.Log) {
	for _, log := range logs {
		if len(log.Topics) == 4 {
			kept = append(kept, log)
		}
	}
	return kept
}

// checkRefused checks the error of a read from a node with a fault; nil means none.
func checkRefused(t testing.TB, node *chaintest.Node, o jsonrpc.Options, fault chaintest.Fault, when func(chaintest.Call) bool,
	want error, read func(c *jsonrpc.Client) error,
) {
	t.Helper()
	defer node.ClearFaults()
	node.Break(0, fault, when)
	if err := read(dial(t, o, node.URL)); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// lieInReceipts makes every method that returns receipts lie about the blocks of a node.
func lieInReceipts(node *chaintest.Node) {
	for _, method := range []string{"eth_getBlockReceipts", "eth_getTransactionReceipt"} {
		node.Break(0, chaintest.Replace(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`), chaintest.Method(method))
	}
}

// checkCaught reads a range from a node with a fault in its logs: the blocks must be right,
// and the endpoint marked. If the receipts are wrong too, the range must be an error.
func checkCaught(t testing.TB, node *chaintest.Node, o jsonrpc.Options, fault chaintest.Fault, when func(chaintest.Call) bool, from, to uint64) {
	t.Helper()
	defer node.ClearFaults()
	node.Break(0, fault, when)
	told := 0
	o.OnLeftOut = func(_ context.Context, url string, evidence error) error {
		if told++; url != node.URL || !errors.Is(evidence, rpcerror.ErrInconsistent) {
			t.Errorf("caught %s: %v", url, evidence)
		}
		return nil
	}
	c := dial(t, o, node.URL)
	checkBlocks(t, node.Blocks()[from:to+1], mustRange(t, c, from, to))
	if h := c.Health()[0]; !h.LeavesOut || told != 1 {
		t.Errorf("caught %d times, want once; health %+v", told, h)
	}
	lieInReceipts(node)
	if got, err := dial(t, o, node.URL).Range(t.Context(), from, to); !rpcerror.Contradicts(err) || got != nil {
		t.Errorf("receipts that lie too: %d blocks, error %v", len(got), err)
	}
}

// atHead returns a client that has read the head, as a follower does first.
func atHead(t testing.TB, o jsonrpc.Options, urls ...string) *jsonrpc.Client {
	t.Helper()
	c := dial(t, o, urls...)
	_, err := c.Head(context.Background())
	expect.NoError(t, err)
	return c
}

// spent returns the number of calls and requests that a node is sent by a read, which must
// succeed.
func spent(t testing.TB, node *chaintest.Node, c *jsonrpc.Client, read func(c *jsonrpc.Client) error) (calls, requests int) {
	t.Helper()
	calls, requests = node.AllCalls()
	expect.NoError(t, read(c))
	allCalls, allRequests := node.AllCalls()
	return allCalls - calls, allRequests - requests
}

// readBlock reads a block by its number.
func readBlock(number uint64) func(*jsonrpc.Client) error {
	return func(c *jsonrpc.Client) error { _, err := c.Block(context.Background(), number); return err }
}

// readProof reads a block with a proof.
func readProof(number uint64) func(*jsonrpc.Client) error {
	return func(c *jsonrpc.Client) error { _, err := c.Proven(context.Background(), number); return err }
}

// readRange reads a range of blocks.
func readRange(from, to uint64) func(*jsonrpc.Client) error {
	return func(c *jsonrpc.Client) error { _, err := c.Range(context.Background(), from, to); return err }
}

// readFull reads a range block by block.
func readFull(from, to uint64) func(*jsonrpc.Client) error {
	return func(c *jsonrpc.Client) error { _, _, err := c.Full(context.Background(), from, to); return err }
}

// readHeaders reads the headers of a range.
func readHeaders(from, to uint64) func(*jsonrpc.Client) error {
	return func(c *jsonrpc.Client) error { _, err := c.Headers(context.Background(), from, to); return err }
}

// unsampled returns options without samples.
func unsampled() jsonrpc.Options {
	o := lieOptions()
	o.Samples = -1
	return o
}

// oneOfFive skips most cases of a large table with -short: the race detector makes them slow.
func oneOfFive(t testing.TB) {
	t.Helper()
	if testing.Short() && rand.IntN(5) > 0 {
		t.Skip("runs in one of five cases with -short")
	}
}

// mustRange reads a range, which must succeed.
func mustRange(t testing.TB, c *jsonrpc.Client, from, to uint64) []evm.Block {
	t.Helper()
	blocks, err := c.Range(context.Background(), from, to)
	expect.NoError(t, err)
	return blocks
}
