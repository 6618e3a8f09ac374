package httpapi_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/graph"
	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/demo"
	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// proving returns the change of a configuration that proves blocks with a node.
func proving(t testing.TB, node *chaintest.Node) func(*httpapi.Config) {
	t.Helper()
	client, err := jsonrpc.Dial([]string{node.URL}, jsonrpc.Options{})
	expect.NoError(t, err)
	t.Cleanup(client.Close)
	return func(c *httpapi.Config) {
		snapshots := c.Extensions[0].(graph.Snapshots)
		snapshots.Prover = func(context.Context) graph.Prover { return client }
		c.Extensions = []graphql.HandlerExtension{snapshots}
	}
}

// recordedNode returns a node with the chain of [recorded].
func recordedNode(t testing.TB) *chaintest.Node {
	t.Helper()
	unpacked, err := gzip.NewReader(demo.Open())
	expect.NoError(t, err)
	var blocks []chaintest.Recorded
	for lines := json.NewDecoder(unpacked); lines.More(); {
		var line chaintest.Recorded
		if expect.NoError(t, lines.Decode(&line)); line.Block != nil {
			blocks = append(blocks, line)
		}
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	expect.NoError(t, node.Play(blocks...))
	return node
}

// decodedBlocks returns the blocks of a node.
func decodedBlocks(t testing.TB, node *chaintest.Node) (blocks []nft.Block) {
	t.Helper()
	for _, b := range node.Blocks() {
		decoded, err := new(nft.Decoder).Decode(b.Header, b.Logs)
		expect.NoError(t, err)
		blocks = append(blocks, decoded)
	}
	return blocks
}

// TestProofs_Most selects as many blocks as one operation proves, some of them repeatedly, and more.
func TestProofs_Most(t *testing.T) {
	t.Parallel()
	node := recordedNode(t)
	s := serve(t, proving(t, node))
	document := func(blocks int) string {
		text := "{"
		for i := range 30 {
			text += fmt.Sprintf(" b%d: block(block: %d) { number proof { header receipts } }", i, 80+i%blocks)
		}
		return text + " }"
	}
	s.Get(t, document(20), "")
	expect.Equal(t, "calls", 20, node.Calls("eth_getBlockByHash"))
	s.Post(t, inJSON(document(21))).OnlyError(t, "QUERY_TOO_COSTLY")
	s.Post(t, inJSON("{ burns(first: 100) { data { transaction { block { proof { header } } } } } }")).OnlyError(t, "QUERY_TOO_COSTLY")
	expect.Equal(t, "calls for too many", 20+20, node.Calls("eth_getBlockByHash"))
	// A page of records of two blocks.
	s.Get(t, "{ mints(fromBlock: 82, toBlock: 83, first: 200) { data { transaction { block { proof { header } } } } } }", "")
	expect.Equal(t, "calls of a page", 20+20+2, node.Calls("eth_getBlockByHash"))
}

// TestProofs_Subscription reads the records of blocks with their proofs. Batches become smaller until they
// have at most 4 blocks.
func TestProofs_Subscription(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	o := chaintest.Default()
	o.Blocks, o.Records = 12, 3
	node.Generate(o)
	blocks := decodedBlocks(t, node)[1:]
	db := storeOf(t, blocks[:1])
	s := online(t, serveStore(t, db, proving(t, node)))
	const proved = `subscription { changes { cursor changes { __typename ... on RecordAdded { transfer { blockNumber transaction { block { number proof { header } } } } } } } }`
	stream := openWire(t, s.Base, asEvents, inJSON(proved))
	stream.next(t)
	_, err := db.Apply(t.Context(), blocks[1:])
	expect.NoError(t, err)
	want, most := 0, 0
	for _, b := range blocks[1:] {
		want += len(b.Mints) + len(b.Burns)
	}
	for got := 0; got < want; {
		text := stream.next(t)
		_, changes := batchOf(t, text)
		in := map[string]bool{}
		for _, c := range changes {
			if strings.HasPrefix(c, "RecordAdded") {
				in[c] = true
				got++
			}
		}
		if most = max(most, len(in)); strings.Contains(text, `"proof":null`) {
			t.Fatalf("got %s", text)
		}
	}
	if most < 2 || most > 4 {
		t.Errorf("a batch has %d blocks", most)
	}
}

// TestProofs_SubscriptionHangs has a node that never answers, for which a subscription waits. Another one gets
// its batches.
func TestProofs_SubscriptionHangs(t *testing.T) {
	t.Parallel()
	node := recordedNode(t)
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:80])
	s := online(t, serveStore(t, db, proving(t, node), func(c *httpapi.Config) { c.Limits.Concurrency, c.Limits.Timeout = 2, time.Hour }))
	const proved = `subscription { changes { cursor changes { __typename ... on RecordAdded { transfer { blockNumber transaction { block { proof { header } } } } } } } }`
	waiting, other := openWire(t, s.Base, asEvents, inJSON(proved)), openWire(t, s.Base, asEvents, inJSON(follow))
	waiting.next(t)
	other.next(t)
	asked, held := make(chan struct{}, 100), make(chan struct{})
	defer close(held)
	node.Break(0, chaintest.Fault{Hang: held}, func(chaintest.Call) bool { asked <- struct{}{}; return true })
	_, err := db.Apply(t.Context(), blocks[80:83])
	expect.NoError(t, err)
	<-asked
	_, err = db.Apply(t.Context(), blocks[83:100])
	expect.NoError(t, err)
	for {
		if _, changes := batchOf(t, other.next(t)); slices.ContainsFunc(changes, func(c string) bool { return strings.HasPrefix(c, "RecordAdded 9") }) {
			return
		}
	}
}

// TestBlock selects blocks in each way: stored, in a hole, orphaned and unknown ones.
func TestBlock(t *testing.T) {
	t.Parallel()
	blocks := generated(30, 10)
	db := storeOf(t, blocks[4:10], blocks[15:26])
	expect.NoError(t, db.ReplaceAbove(t.Context(), blocks[24].Header.Number, nil, false))
	finalizedAt(t, db, blocks[20].Header.Number)
	s := serveStore(t, db)
	for block, want := range map[string]nft.Block{"latest": blocks[24], "finalized": blocks[20], blocks[5].Header.Hash.String(): blocks[5], fmt.Sprint(blocks[15].Header.Number): blocks[15]} {
		got := s.Get(t, "query($b: BlockNumberOrHash!) { block(block: $b) { number hash timestamp } }", `{"b":"`+block+`"}`)["block"].(map[string]any)
		expect.Equal(t, block, fmt.Sprintln(want.Header.Number, want.Header.Hash, want.Header.Time), fmt.Sprintln(got["number"], got["hash"], got["timestamp"]))
	}
	for block, want := range map[string]string{
		"earliest": "BLOCK_NOT_INDEXED", fmt.Sprint(blocks[12].Header.Number): "BLOCK_NOT_INDEXED", fmt.Sprint(blocks[25].Header.Number): "BLOCK_NOT_INDEXED", "9007199254740991": "BLOCK_NOT_INDEXED",
		noHash: "BLOCK_NOT_FOUND", blocks[12].Header.Hash.String(): "BLOCK_NOT_FOUND", blocks[25].Header.Hash.String(): "BLOCK_NOT_CANONICAL",
	} {
		a := s.Ask(t, "query($b: BlockNumberOrHash!) { block(block: $b) { number } chain { head { number } } }", `{"b":"`+block+`"}`)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != want || a.Data["block"] != nil || a.Data["chain"] == nil {
			t.Errorf("%s: %s, want %s", block, a.Text, want)
		}
	}
}
