package chain_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

// shared returns a gzip file of the shared data, unpacked.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.Open(chaintest.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(data)
}

// sample is a block of the shared data.
type sample struct {
	header                map[string]json.RawMessage
	block, receipts, logs json.RawMessage
}

// samples returns the real blocks that have a header.
func samples(t testing.TB) []sample {
	t.Helper()
	var all []sample
	for _, folder := range []string{"mainnet-18500000", "mainnet-18000000", "mainnet-17173049-17173050"} {
		var blocks []json.RawMessage
		parse(t, shared(t, "real/"+folder+"/blocks.json.gz"), &blocks)
		for _, block := range blocks {
			s := sample{block: block}
			parse(t, block, &s.header)
			if len(blocks) == 1 {
				s.receipts = shared(t, "real/"+folder+"/receipts.json.gz")
				var receipts []struct{ Logs []json.RawMessage }
				parse(t, s.receipts, &receipts)
				var logs []json.RawMessage
				for _, r := range receipts {
					logs = append(logs, r.Logs...)
				}
				s.logs = text(t, logs)
			} else {
				var logs, mine []map[string]any
				parse(t, shared(t, "real/"+folder+"/logs.json.gz"), &logs)
				for _, log := range logs {
					if fmt.Sprintf("%q", log["blockHash"]) == string(s.header["hash"]) {
						mine = append(mine, log)
					}
				}
				s.logs = text(t, mine)
			}
			all = append(all, s)
		}
	}
	return all
}

// wantLogs reads logs with encoding/json and the codecs of package evm.
func wantLogs(t testing.TB, logs json.RawMessage) []evm.Log {
	t.Helper()
	var list []struct {
		Address         evm.Address
		Topics          []evm.Hash
		Data            string
		TransactionHash evm.Hash

		TransactionIndex, LogIndex *evm.Long
	}
	parse(t, logs, &list)
	want := []evm.Log{}
	for _, l := range list {
		data := []byte{}
		if _, err := fmt.Sscanf(l.Data+" ", "0x%x ", &data); err != nil && l.Data != "0x" {
			t.Fatalf("data %q: %v", l.Data, err)
		}
		log := evm.Log{Address: l.Address, Topics: l.Topics, Data: data, TxHash: l.TransactionHash}
		if l.TransactionIndex != nil {
			log.TxIndex = evm.TxIndex{N: uint32(*l.TransactionIndex), Known: true}
		}
		if l.LogIndex != nil {
			log.Index = uint32(*l.LogIndex)
		}
		want = append(want, log)
	}
	return want
}

func parse(t testing.TB, data []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
