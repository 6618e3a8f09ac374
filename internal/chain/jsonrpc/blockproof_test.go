package jsonrpc_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// isRecord reports whether a log has a topic of mints and burns.
func isRecord(log evm.Log) bool {
	return len(log.Topics) > 0 && slices.Contains(chaintest.ProofTopics(), log.Topics[0])
}

// checkProof verifies the proof of a block, and compares the logs that it proves.
func checkProof(t testing.TB, block evm.Block, proof evm.BlockProof) {
	t.Helper()
	var receipts []string
	if proof.Receipts != nil {
		receipts = []string{}
	}
	for _, receipt := range proof.Receipts {
		receipts = append(receipts, string(receipt))
	}
	logs, err := chaintest.VerifyProof(block.Header.Hash, string(proof.Header), receipts)
	if err != nil || proof.Block != block.Header {
		t.Fatalf("block %d: header %+v, %v", block.Header.Number, proof.Block, err)
	}
	if proof.Receipts == nil {
		if slices.ContainsFunc(block.Logs, isRecord) {
			t.Fatalf("block %d has no receipts, but a mint or burn", block.Header.Number)
		}
		return
	}
	expect.Equal(t, "logs", len(block.Logs), len(logs))
	for i, want := range block.Logs {
		if want.Address != logs[i].Address || !slices.Equal(want.Topics, logs[i].Topics) || !bytes.Equal(want.Data, logs[i].Data) {
			t.Fatalf("block %d: log %d is %+v, want %+v", block.Header.Number, i, logs[i], want)
		}
	}
}

// TestProof_Anvil proves each block of the recorded chain on a real node, by hash and by number.
func TestProof_Anvil(t *testing.T) {
	t.Parallel()
	c, excluded := dial(t, jsonrpc.Options{}, "http://"+chainA(t)), 0
	for _, block := range bundle(t) {
		if number := block.Header.Number; testing.Short() && number%10 > 0 {
			continue
		}
		proof, err := c.Proof(t.Context(), block.Header.BlockRef)
		expect.NoError(t, err)
		checkProof(t, block, proof)
		again, err := c.Proof(t.Context(), evm.BlockRef{Number: block.Header.Number})
		expect.NoError(t, err)
		expect.Equal(t, "proof by number", proof, again)
		if proof.Receipts == nil {
			excluded++
		}
	}
	if excluded == 0 {
		t.Error("no header excludes mints and burns")
	}
}

// TestProof_Mainnet proves the recorded blocks of the mainnet.
func TestProof_Mainnet(t *testing.T) {
	t.Parallel()
	proved := 0
	for _, block := range chaintest.RealBlocks(t) {
		if block.Receipts == nil {
			continue
		}
		proved++
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		expect.NoError(t, node.Play(block.Recorded))
		want := node.Blocks()[0]
		want.Logs = chaintest.ParseLogs(t, block.Logs)
		proof, err := dial(t, lieOptions(), node.URL).Proof(t.Context(), want.Header.BlockRef)
		expect.NoError(t, err)
		checkProof(t, want, proof)
	}
	if proved < 2 {
		t.Errorf("%d blocks have receipts", proved)
	}
}

// TestProof_OneBatch counts what a cold proof costs: a batch of two calls.
func TestProof_OneBatch(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	c := dial(t, lieOptions(), node.URL)
	for number, block := range node.Blocks() {
		if number == 0 {
			// The first call of a client is for the chain's id.
			_, err := c.ChainID(t.Context())
			expect.NoError(t, err)
			continue
		}
		for _, ref := range []evm.BlockRef{block.Header.BlockRef, {Number: uint64(number)}} {
			calls, requests := node.AllCalls()
			_, err := c.Proof(t.Context(), ref)
			expect.NoError(t, err)
			after, sent := node.AllCalls()
			expect.Equal(t, "calls and requests", [2]int{2, 1}, [2]int{after - calls, sent - requests})
		}
	}
}

// TestProof_Contracts checks that headers exclude by the events alone: neither by the contracts that are
// indexed, nor by events that are no mints or burns.
func TestProof_Contracts(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	old := evm.Log{Address: evm.Address{3}, Topics: []evm.Hash{evm.TopicTransfer.Hash()}, Data: make([]byte, 96)}
	uri := evm.Log{Address: evm.Address{9}, Topics: []evm.Hash{evm.TopicMetadataUpdate.Hash()}, Data: make([]byte, 32)}
	logs := []evm.Log{erc721(1), old, uri, swap(1)}
	for _, log := range logs {
		node.Mine([]evm.Log{log})
	}
	o := lieOptions()
	o.Contracts = []evm.Address{{9}}
	c := dial(t, o, node.URL)
	for i, log := range logs {
		block := node.Blocks()[1+i]
		proof, err := c.Proof(t.Context(), block.Header.BlockRef)
		expect.NoError(t, err)
		block.Logs = []evm.Log{log}
		checkProof(t, block, proof)
		expect.Equal(t, "has receipts", isRecord(log), proof.Receipts != nil)
	}
}

// TestProof_Blooms proves blocks of chains that keep no filters: they exclude nothing, but the root of no
// receipts does.
func TestProof_Blooms(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]chaintest.Shape{"zero": {ZeroBlooms: true}, "empty": {NoBloomsFrom: 1}} {
		t.Run(name, func(t *testing.T) {
			node := mixed(t, chaintest.NodeOptions{Shape: shape})
			c := dial(t, lieOptions(), node.URL)
			for _, block := range node.Blocks()[1:] {
				proof, err := c.Proof(t.Context(), block.Header.BlockRef)
				expect.NoError(t, err)
				// The logs of the node's blocks lack the swaps.
				block.Logs = block.Logs[:0]
				switch (block.Header.Number - 1) % 3 {
				case 0:
					n := byte(block.Header.Number - 1)
					block.Logs = append(block.Logs, erc721(n), swap(n))
				case 2:
					block.Logs = append(block.Logs, swap(byte(block.Header.Number-1)))
				}
				checkProof(t, block, proof)
			}
		})
	}
}

// TestProof_Networks proves what can be proved on each network, and says why the rest cannot. The block is
// known also then.
func TestProof_Networks(t *testing.T) {
	t.Parallel()
	check := func(name, url string, block evm.Block, reason string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proof, err := dial(t, lieOptions(), url).Proof(t.Context(), block.Header.BlockRef)
			if reason == "" {
				expect.NoError(t, err)
				checkProof(t, block, proof)
				return
			}
			no, ok := errors.AsType[*rpcerror.NotProvableError](err)
			if !ok || !strings.Contains(no.Reason, reason) || strings.Contains(no.Reason, "http") || proof.Block != block.Header || proof.Header != "" || proof.Receipts != nil {
				t.Errorf("got %+v, error %v, want the header alone and %q", proof.Block, err, reason)
			}
		})
	}
	reasons := map[string]string{"Polygon": "seal", "zkSync": settings.ReasonFields, "Ethermint": settings.ReasonHash, "Stable": settings.ReasonHash, "Tempo": settings.ReasonFields}
	for name, shape := range networks() {
		node := network(t, shape)
		check(name, node.URL, node.Blocks()[3], reasons[name])
	}
	for folder, reason := range map[string]string{
		"cronos-11446765": settings.ReasonHash, "cronos-68215": settings.ReasonHash, "cronos-68216": settings.ReasonHash,
		"stable-testnet-42767022": settings.ReasonHash, "tempo-mainnet-17708868": settings.ReasonFields,
	} {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		expect.NoError(t, node.Play(chaintest.RecordedBlock(t, folder)))
		check(folder, node.URL, node.Blocks()[0], reason)
	}
}

// TestProof_Refused has nodes without a block or its receipts, and nodes that lie: another node proves the
// block. Alone, the header is known once it is returned.
func TestProof_Refused(t *testing.T) {
	t.Parallel()
	honest := filled(t, chaintest.NodeOptions{}, 3)
	block, other := honest.Blocks()[3], honest.Blocks()[2]
	gone := chaintest.Fault{Code: -32601, Message: "Method not found"}
	receipts := func(c chaintest.Call) bool { return strings.Contains(c.Method, "Receipt") }
	header := chaintest.Method("eth_getBlockByHash")
	for name, test := range map[string]struct {
		fault chaintest.Fault
		when  func(chaintest.Call) bool
		want  error
		known bool
	}{
		"no block":          {chaintest.Null(), nil, rpcerror.ErrGone, false},
		"no receipts":       {chaintest.Null(), receipts, rpcerror.ErrGone, true},
		"no such method":    {gone, receipts, nil, true},
		"pruned":            {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, receipts, rpcerror.ErrPruned, true},
		"another block":     {chaintest.Replace(block.Header.Hash.String(), other.Header.Hash.String()), header, rpcerror.ErrInconsistent, false},
		"another number":    {chaintest.Edit(func(h map[string]any) { h["number"] = "0x2" }), header, rpcerror.ErrInconsistent, false},
		"a changed header":  {chaintest.Edit(func(h map[string]any) { h["gasUsed"] = "0x7" }), header, rpcerror.ErrNotProvable, true},
		"a changed receipt": {chaintest.Replace(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`), receipts, rpcerror.ErrMismatch, true},
		"unreachable":       {chaintest.Fault{Status: 503}, func(chaintest.Call) bool { return true }, rpcerror.ErrTemporary, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := honest.Copy(t, chaintest.NodeOptions{}, 4)
			node.Break(0, test.fault, func(c chaintest.Call) bool { return c.Method != "eth_chainId" && (test.when == nil || test.when(c)) })
			proof, err := dial(t, lieOptions(), node.URL).Proof(t.Context(), block.Header.BlockRef)
			if err == nil || test.want != nil && !errors.Is(err, test.want) || test.known != (proof.Block == block.Header) {
				t.Errorf("got %+v, error %v, want %v, header known: %t", proof.Block, err, test.want, test.known)
			}
			proof, err = dial(t, lieOptions(), node.URL, honest.URL).Proof(t.Context(), block.Header.BlockRef)
			expect.NoError(t, err)
			expect.Equal(t, "header of the other node", block.Header, proof.Block)
		})
	}
}

// TestProof_SingleReceipts has a node without eth_getBlockReceipts, which is not called again once that is
// known.
func TestProof_SingleReceipts(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	want, err := dial(t, lieOptions(), node.URL).Proof(t.Context(), node.Blocks()[3].Header.BlockRef)
	expect.NoError(t, err)
	node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
	c, calls := dial(t, lieOptions(), node.URL), node.Calls("eth_getBlockReceipts")
	for range 2 {
		got, err := c.Proof(t.Context(), node.Blocks()[3].Header.BlockRef)
		expect.NoError(t, err)
		expect.Equal(t, "proof", want, got)
	}
	expect.Equal(t, "calls", 1, node.Calls("eth_getBlockReceipts")-calls)
}
