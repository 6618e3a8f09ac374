package indexer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestArchive_Geth mines the recorded chain on go-ethereum's EVM. geth v1.17.8 imports the blocks
// and exports its history. The archives must contain the blocks and logs that were mined.
func TestArchive_Geth(t *testing.T) {
	if os.Getenv("MINTBURN_ARCHIVES") == "" {
		t.Skip("needs geth v1.17.8: .ci/long archives")
	}
	genesisFile := chaintest.Data(t, "chain-a/genesis-geth.json")
	genesis, blocks := recordedChain(t)
	g := newGethChain(t, genesis)
	g.mine(0, "recorded", blocks...)
	var chain, lines bytes.Buffer
	head := g.chain.CurrentBlock().Number.Uint64()
	expect.NoError(t, g.chain.ExportN(&chain, 1, head))
	folder := t.TempDir()
	file := filepath.Join(folder, "chain.rlp")
	expect.NoError(t, os.WriteFile(file, chain.Bytes(), 0o600))
	geth := func(args ...string) {
		t.Helper()
		said, err := exec.CommandContext(t.Context(), "geth", append([]string{"--datadir", filepath.Join(folder, "data")}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("geth %v: %v: %s", args, err, said)
		}
	}
	geth("init", genesisFile)
	geth("import", file)
	for n := range head + 1 {
		b := g.chain.GetBlockByNumber(n)
		lines.Write(append(chaintest.Record(b, g.chain.GetReceiptsByHash(b.Hash())).Line(), '\n'))
	}
	want := itemsOf(t, "-", &lines)
	for _, last := range []uint64{head, 100} {
		to := t.TempDir()
		geth("export-history", "--era.format", "ere", to, "0", strconv.FormatUint(last, 10))
		files, err := filepath.Glob(filepath.Join(to, "*.ere"))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %q, error %v", files, err)
		}
		expect.Equal(t, "blocks", want[:last+1], itemsOf(t, files[0], nil), cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal))
		if os.Getenv("UPDATE_ARCHIVES") != "" {
			data, err := os.ReadFile(files[0])
			expect.NoError(t, err)
			expect.NoError(t, os.WriteFile("../chain/recording/testdata/geth.ere", data, 0o644))
		}
	}
}

// itemsOf reads a recording, without the place where the items were read.
func itemsOf(t *testing.T, file string, stdin *bytes.Buffer) (list []recording.Item) {
	t.Helper()
	r, err := recording.Open([]string{file}, stdin)
	expect.NoError(t, err)
	for item, err := range r.Items(context.Background()) {
		expect.NoError(t, err)
		item.File, item.Line, item.Numbering = "", 0, ""
		list = append(list, item)
	}
	return list
}

// recordedChain returns the genesis of chain-a, and its blocks to mine.
func recordedChain(t *testing.T) (*core.Genesis, []block) {
	t.Helper()
	var blocks []block
	for _, line := range chaintest.Values[struct {
		Timestamp uint64
		Raw       []hexutil.Bytes
	}](t, "chain-a/replay.ndjson.gz") {
		b := block{time: line.Timestamp}
		for _, raw := range line.Raw {
			tx := new(types.Transaction)
			expect.NoError(t, tx.UnmarshalBinary(raw))
			b.txs = append(b.txs, tx)
		}
		blocks = append(blocks, b)
	}
	text, err := os.ReadFile(chaintest.Data(t, "chain-a/genesis-geth.json"))
	expect.NoError(t, err)
	genesis := new(core.Genesis)
	expect.NoError(t, json.Unmarshal(text, genesis))
	return genesis, blocks
}
