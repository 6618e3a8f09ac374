package data_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"math"
	"testing"

	"mintburn/bench/data"
	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

func TestWrite_SameBytes(t *testing.T) {
	sum := func(records int) (sum [32]byte) {
		hash := sha256.New()
		if _, err := data.Write(hash, records); err != nil {
			t.Fatal(err)
		}
		hash.Sum(sum[:0])
		return sum
	}
	first := sum(3_000)
	if again := sum(3_000); first != again {
		t.Error("3,000 records differ from 3,000 records")
	}
	if first == sum(3_001) {
		t.Error("3,000 records are as 3,001")
	}
}

// TestWriteViews checks the numbers that its comment gives.
func TestWriteViews(t *testing.T) {
	stats, err := data.WriteViews(io.Discard)
	expect.NoError(t, err)
	if math.Abs(float64(stats.Mints)-700_000) > 5_000 || stats.Mints+stats.Burns != 1_000_000 || math.Abs(float64(stats.Documents)-70_000) > 1_000 {
		t.Errorf("%+v", stats)
	}
}

// TestWriteContracts checks that each collection has a document.
func TestWriteContracts(t *testing.T) {
	var text bytes.Buffer
	_, err := data.WriteContracts(&text, 3_000)
	expect.NoError(t, err)
	recording, err := recording.Open([]string{"-"}, &text)
	expect.NoError(t, err)
	collections, described := map[evm.Address]bool{}, map[evm.Address]bool{}
	for item, err := range recording.Items(context.Background()) {
		expect.NoError(t, err)
		if d := item.Document; d != nil && d.OfCollection {
			described[d.Contract] = true
		} else if d != nil {
			collections[d.Contract] = true
		}
	}
	expect.Equal(t, "described collections", collections, described)
}

// TestWrite_Shares reads the file as import does, and checks the shares of its contents.
func TestWrite_Shares(t *testing.T) {
	const records = 150_000
	var text bytes.Buffer
	stats, err := data.Write(&text, records)
	expect.NoError(t, err)
	recording, err := recording.Open([]string{"-"}, &text)
	expect.NoError(t, err)
	var got data.Stats
	of := map[evm.Address]int{}
	var erc721, largestBlock, largestTx, previous int
	var hours []uint64
	for item, err := range recording.Items(context.Background()) {
		expect.NoError(t, err)
		if item.Document != nil {
			got.Documents++
			continue
		}
		block, err := new(nft.Decoder).Decode(item.Block.Header, item.Block.Logs)
		expect.NoError(t, err)
		number := int(block.Header.Number)
		if got.Blocks > 0 && number != previous+1 {
			t.Fatalf("block %d follows block %d", number, previous)
		}
		previous = number
		hours = append(hours, block.Header.Time/3600)
		got.Blocks++
		got.Mints += len(block.Mints)
		got.Burns += len(block.Burns)
		txs := map[evm.Hash]int{}
		for _, r := range append(block.Mints, block.Burns...) {
			of[r.Contract]++
			txs[r.TxHash]++
			largestTx = max(largestTx, txs[r.TxHash])
			if r.Type == nft.ERC721 {
				erc721++
			}
		}
		largestBlock = max(largestBlock, len(block.Mints)+len(block.Burns))
	}
	if got != stats {
		t.Errorf("the file holds %+v, Write says %+v", got, stats)
	}
	if got.Mints+got.Burns != records {
		t.Errorf("%d records, want %d", got.Mints+got.Burns, records)
	}
	largest, few := 0, 0
	for _, n := range of {
		largest = max(largest, n)
		if n < records/data.Collections {
			few++
		}
	}
	for _, share := range []struct {
		what      string
		got, want float64
	}{
		{"the largest collection", float64(largest) / records, 0.2},
		{"mints", float64(got.Mints) / records, 0.7},
		{"ERC-721", float64(erc721) / records, 0.8},
		{"collections of less than the mean", float64(few) / data.Collections, 0.82},
	} {
		if math.Abs(share.got-share.want) > 0.03 {
			t.Errorf("the share of %s is %.3f, want %.2f", share.what, share.got, share.want)
		}
	}
	if len(of) != data.Collections {
		t.Errorf("%d collections, want %d", len(of), data.Collections)
	}
	if took := hours[len(hours)-1] - hours[0]; took < data.Hours*9/10 || took >= data.Hours {
		t.Errorf("the blocks take %d hours, want nearly %d", took, data.Hours)
	}
	if largestBlock < data.MaxBlock*9/10 || largestBlock > data.MaxBlock {
		t.Errorf("the largest block has %d records, want nearly %d", largestBlock, data.MaxBlock)
	}
	if largestTx < data.MaxTx*9/10 || largestTx > data.MaxTx {
		t.Errorf("the largest transaction has %d records, want nearly %d", largestTx, data.MaxTx)
	}
	if got.Documents < data.Collections {
		t.Errorf("%d documents", got.Documents)
	}
}
