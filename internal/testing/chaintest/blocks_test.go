package chaintest_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestWriteRecording reads a generated recording and decodes it. The reader and the decoder
// share no code with the generator and must agree with it.
func TestWriteRecording(t *testing.T) {
	o := chaintest.Default()
	o.Blocks, o.NoiseShare, o.FirstBlock = 50, 0.3, 1<<32
	var text bytes.Buffer
	stats, err := chaintest.WriteRecording(&text, o)
	expect.NoError(t, err)
	got := chaintest.Stats{Bytes: int64(text.Len())}
	recording, err := recording.Open([]string{"-"}, &text)
	expect.NoError(t, err)
	var read []*evm.Block
	for item, err := range recording.Items(context.Background()) {
		expect.NoError(t, err)
		read = append(read, item.Block)
	}
	if len(read) != o.Blocks {
		t.Fatalf("read %d blocks, want %d", len(read), o.Blocks)
	}
	var parent evm.Hash
	for want := range chaintest.Blocks(o) {
		block := read[got.Blocks]
		if got.Blocks > 0 && block.Header.ParentHash != parent {
			t.Fatalf("parent of block %d is %s, want %s", block.Header.Number, block.Header.ParentHash, parent)
		}
		parent = block.Header.Hash
		decoded, err := new(nft.Decoder).Decode(block.Header, block.Logs)
		expect.NoError(t, err)
		if decoded.Header != want.Header || !slices.Equal(decoded.Mints, want.Mints) || !slices.Equal(decoded.Burns, want.Burns) || len(decoded.Rejected) > 0 {
			t.Fatalf("block %d is decoded as %+v, want %+v", block.Header.Number, decoded, want.Block)
		}
		if n := len(want.Mints) + len(want.Burns); n != o.Records {
			t.Fatalf("%d records in block %d, want %d", n, block.Header.Number, o.Records)
		}
		got.Blocks++
		got.Logs += len(block.Logs)
		got.Mints += len(decoded.Mints)
		got.Burns += len(decoded.Burns)
	}
	expect.Equal(t, "stats", stats, got)
}

func TestBlocks_FollowOptions(t *testing.T) {
	o := chaintest.Default()
	contracts, types := map[evm.Address]int{}, map[nft.ContractType]map[evm.Address]bool{nft.ERC721: {}, nft.ERC1155: {}}
	owners := map[nft.TokenKey]evm.Address{}
	mints, burns, logs, batches, txs := 0, 0, 0, 0, map[evm.Hash]int{}
	o.NoiseShare = 0.25
	for block := range chaintest.Blocks(o) {
		logs += len(block.Logs)
		mints += len(block.Mints)
		burns += len(block.Burns)
		for _, r := range slices.Concat(block.Mints, block.Burns) {
			contracts[r.Contract]++
			types[r.Type][r.Contract] = true
			txs[r.TxHash]++
			if r.SubIndex > 0 {
				batches++
			}
			key := nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}
			if r.Type == nft.ERC721 && r.Kind == nft.Mint {
				if _, minted := owners[key]; minted {
					t.Fatalf("token %v minted twice", key)
				}
				owners[key] = r.To
			}
		}
		for _, r := range block.Burns {
			key := nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}
			if r.Type == nft.ERC721 && (owners[key] != r.From || r.From.IsZero()) {
				t.Fatalf("token %v of %s burned by %s", key, owners[key], r.From)
			}
		}
	}
	records := float64(mints + burns)
	largest := slices.Max(slices.Collect(maps.Values(contracts)))
	for name, c := range map[string]struct{ got, least, most float64 }{
		"share of mints":         {float64(mints) / records, 0.68, 0.75},
		"share of the largest":   {float64(largest) / records, 0.17, 0.23},
		"contracts":              {float64(len(contracts)), 190, 200},
		"share of ERC-721":       {float64(len(types[nft.ERC721])) / float64(len(contracts)), 0.77, 0.83},
		"records in batches":     {float64(batches), 1000, records},
		"logs per record":        {float64(logs) / records, 1.05, 4.0 / 3},
		"most records of one tx": {float64(slices.Max(slices.Collect(maps.Values(txs)))), 20, 20},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s is %v, want %v to %v", name, c.got, c.least, c.most)
		}
	}
}

func TestWriteRecording_SameSeedSameText(t *testing.T) {
	text := func(seed uint64) string {
		o := chaintest.Default()
		o.Blocks, o.Seed = 3, seed
		var b bytes.Buffer
		if _, err := chaintest.WriteRecording(&b, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if first, second := text(7), text(7); first != second {
		t.Error("two runs of one seed differ")
	}
	if text(7) == text(8) {
		t.Error("two seeds generate the same chain")
	}
}

func BenchmarkWriteRecording(b *testing.B) {
	o := chaintest.Default()
	var stats chaintest.Stats
	for b.Loop() {
		var err error
		stats, err = chaintest.WriteRecording(io.Discard, o)
		expect.NoError(b, err)
	}
	b.SetBytes(stats.Bytes)
	b.ReportMetric(float64(b.N*(stats.Mints+stats.Burns))/b.Elapsed().Seconds(), "records/s")
}
