package recording_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rlp"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// Archives of the first blocks of chain-a that other programs wrote: geth v1.17.8, which executed
// the chain, and the npm package @ethereumjs/e2store 10.0.0. If UPDATE_ARCHIVES is set, .ci/long
// archives writes them again.
const (
	gethArchive       = "testdata/geth.ere"
	ethereumJSArchive = "testdata/ethereumjs.era1"
	archivedBlocks    = 101
)

// TestArchive_OtherWriters reads the archives of other programs.
func TestArchive_OtherWriters(t *testing.T) {
	recorded, _, _ := chaintest.ChainA(t)
	want, err := items(t, open(t, bytes.NewReader(ndjson(recorded[:archivedBlocks])), "-"))
	expect.NoError(t, err)
	got, err := items(t, open(t, nil, ethereumJSArchive))
	expect.NoError(t, err)
	expect.Equal(t, ethereumJSArchive, want, got, equalItems)

	got, err = items(t, open(t, nil, gethArchive))
	expect.NoError(t, err)
	if len(got) != len(want) {
		t.Fatalf("%s has %d blocks, want %d", gethArchive, len(got), len(want))
	}
	// The blocks that geth executed have other headers.
	for i := range got {
		if number := got[i].Block.Header.Number; number != uint64(i) {
			t.Errorf("%s: block %d is the %d. one", gethArchive, number, i)
		}
		got[i].Block.Header = want[i].Block.Header
	}
	expect.Equal(t, gethArchive, want, got, equalItems)
}

// TestArchive_EthereumJS writes chain-a with @ethereumjs/e2store, which must be in
// node_modules here or above.
func TestArchive_EthereumJS(t *testing.T) {
	if os.Getenv("MINTBURN_ARCHIVES") == "" {
		t.Skip("needs @ethereumjs/e2store: .ci/long archives")
	}
	recorded, blocks, receipts := chaintest.ChainA(t)
	for _, n := range []int{len(blocks), archivedBlocks} {
		var lines bytes.Buffer
		for i, b := range blocks[:n] {
			hash, line := b.Hash(), map[string]hexutil.Bytes{}
			line["hash"] = hash[:]
			for name, value := range map[string]any{"header": b.Header(), "body": b.Body(), "receipts": receipts[i]} {
				data, err := rlp.EncodeToBytes(value)
				expect.NoError(t, err)
				line[name] = data
			}
			expect.NoError(t, json.NewEncoder(&lines).Encode(line))
		}
		node := exec.CommandContext(t.Context(), "node", "testdata/era1.mjs")
		var complaint bytes.Buffer
		node.Stdin, node.Stderr = &lines, &complaint
		archive, err := node.Output()
		if err != nil {
			t.Fatalf("node: %v: %s", err, complaint.String())
		}
		want, err := items(t, open(t, bytes.NewReader(ndjson(recorded[:n])), "-"))
		expect.NoError(t, err)
		got, err := items(t, open(t, nil, writeFile(t, "ethereumjs.era1", archive)))
		expect.NoError(t, err)
		expect.Equal(t, "blocks", want, got, equalItems)
		if os.Getenv("UPDATE_ARCHIVES") != "" {
			expect.NoError(t, os.WriteFile(ethereumJSArchive, archive, 0o644))
		}
	}
}
