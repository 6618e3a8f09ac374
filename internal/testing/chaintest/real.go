package chaintest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"mintburn/internal/evm"
)

// Unpacked returns the content of a file of the recorded data, which may be compressed
// with gzip. It trims white space around the content. See [Data].
func Unpacked(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Data(t, name))
	if unpacked, failed := gzip.NewReader(bytes.NewReader(data)); failed == nil {
		data, err = io.ReadAll(unpacked)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(data)
}

// Parse unmarshals JSON. It fails the test on an error.
func Parse(t testing.TB, data []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

// RealBlock is a block of the Ethereum mainnet.
type RealBlock struct {
	// Recorded is the block with its receipts. Receipts is nil if they were not
	// recorded.
	Recorded
	// Logs is a JSON list of all logs of the block.
	Logs json.RawMessage
}

// RealBlocks returns the recorded blocks of the Ethereum mainnet. The first has the
// most logs. See [Data].
func RealBlocks(t testing.TB) (all []RealBlock) {
	t.Helper()
	for _, folder := range []string{"mainnet-18500000", "mainnet-18000000", "mainnet-17173049-17173050"} {
		blocks := Values[[]json.RawMessage](t, "real/"+folder+"/blocks.json.gz")[0]
		for _, block := range blocks {
			b := RealBlock{Recorded: Recorded{Block: block}}
			var logs []json.RawMessage
			if len(blocks) == 1 {
				Parse(t, Unpacked(t, "real/"+folder+"/receipts.json.gz"), &b.Receipts)
				for _, text := range b.Receipts {
					var receipt struct{ Logs []json.RawMessage }
					Parse(t, text, &receipt)
					logs = append(logs, receipt.Logs...)
				}
			} else {
				var header struct{ Hash string }
				Parse(t, block, &header)
				for _, text := range Values[[]json.RawMessage](t, "real/"+folder+"/logs.json.gz")[0] {
					var log struct{ BlockHash string }
					if Parse(t, text, &log); log.BlockHash == header.Hash {
						logs = append(logs, text)
					}
				}
			}
			b.Logs = joined(logs)
			all = append(all, b)
		}
	}
	return all
}

// ParseLogs decodes a JSON list of logs with encoding/json and the codecs of package
// evm. It fails the test on an error.
func ParseLogs(t testing.TB, logs json.RawMessage) []evm.Log {
	t.Helper()
	var list []struct {
		Address         evm.Address
		Topics          []evm.Hash
		Data            string
		TransactionHash evm.Hash

		TransactionIndex, LogIndex *evm.Long
	}
	Parse(t, logs, &list)
	parsed := []evm.Log{}
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
		parsed = append(parsed, log)
	}
	return parsed
}

// RecordedBlock returns the recorded block of another chain from a folder of the recorded
// data. See [Data].
func RecordedBlock(t testing.TB, folder string) Recorded {
	t.Helper()
	list := func(name string) []json.RawMessage { return Values[[]json.RawMessage](t, "chains/"+folder+"/"+name)[0] }
	return Recorded{Block: list("blocks.json.gz")[0], Receipts: list("receipts.json.gz")}
}
