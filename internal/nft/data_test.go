package nft_test

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// rpcLog, rpcReceipt and rpcBlock hold the fields of JSON-RPC results that the tests use.
type rpcLog struct {
	Address         evm.Address   `json:"address"`
	Topics          []evm.Hash    `json:"topics"`
	Data            hexutil.Bytes `json:"data"`
	BlockHash       evm.Hash      `json:"blockHash"`
	BlockNumber     evm.Long      `json:"blockNumber"`
	TransactionHash evm.Hash      `json:"transactionHash"`
	LogIndex        evm.Long      `json:"logIndex"`
	Removed         bool          `json:"removed"`
}

type rpcReceipt struct {
	Logs []rpcLog `json:"logs"`
}

type rpcBlock struct {
	Number     evm.Long `json:"number"`
	Hash       evm.Hash `json:"hash"`
	ParentHash evm.Hash `json:"parentHash"`
	Timestamp  evm.Long `json:"timestamp"`
}

func (l rpcLog) log() evm.Log {
	return evm.Log{Address: l.Address, Topics: l.Topics, Data: l.Data, TxHash: l.TransactionHash, Index: uint32(l.LogIndex), Removed: l.Removed}
}

// decodeAll decodes logs block by block. A block without a header gets one from its logs,
// without a time.
func decodeAll(t *testing.T, decoder nft.Decoder, blocks []rpcBlock, logs []rpcLog) [3][]chaintest.Answer {
	t.Helper()
	headers, byNumber := map[evm.Long]evm.Header{}, map[evm.Long][]evm.Log{}
	for _, b := range blocks {
		ref := evm.BlockRef{Number: uint64(b.Number), Hash: b.Hash}
		headers[b.Number] = evm.Header{BlockRef: ref, ParentHash: b.ParentHash, Time: uint64(b.Timestamp)}
	}
	for _, l := range logs {
		if _, ok := headers[l.BlockNumber]; !ok {
			headers[l.BlockNumber] = evm.Header{BlockRef: evm.BlockRef{Number: uint64(l.BlockNumber), Hash: l.BlockHash}}
		}
		byNumber[l.BlockNumber] = append(byNumber[l.BlockNumber], l.log())
	}
	var decoded []nft.Block
	for _, n := range slices.Sorted(maps.Keys(headers)) {
		block, err := decoder.Decode(headers[n], byNumber[n])
		expect.NoError(t, err)
		decoded = append(decoded, block)
	}
	return chaintest.Answers(decoded...)
}

// chainA returns the headers of the recorded chain, its logs from eth_getLogs, and its logs
// from the receipts.
func chainA(t *testing.T) (blocks []rpcBlock, fromLogs, fromReceipts []rpcLog) {
	t.Helper()
	for _, l := range chaintest.Values[struct {
		Block    rpcBlock
		Receipts []rpcReceipt
	}](t, "chain-a/bundle.ndjson.gz") {
		blocks = append(blocks, l.Block)
		for _, r := range l.Receipts {
			fromReceipts = append(fromReceipts, r.Logs...)
		}
	}
	return blocks, chaintest.Values[rpcLog](t, "chain-a/logs.ndjson.gz"), fromReceipts
}

func TestDecode_ChainA(t *testing.T) {
	blocks, fromLogs, fromReceipts := chainA(t)
	want := chaintest.WantAnswers(t)
	for name, logs := range map[string][]rpcLog{"logs": fromLogs, "receipts": fromReceipts} {
		expect.Equal(t, name, want, decodeAll(t, nft.Decoder{}, blocks, logs))
	}
}

// TestDecode_ChainA_WithoutOddContracts compares with the answer key of two public decoders,
// which leaves out the contracts that emit odd logs.
func TestDecode_ChainA_WithoutOddContracts(t *testing.T) {
	blocks, logs, _ := chainA(t)
	odd := map[evm.Address]bool{}
	for _, o := range chaintest.Values[struct{ Log rpcLog }](t, "chain-a/odd.ndjson") {
		odd[o.Log.Address] = true
	}
	logs = slices.DeleteFunc(logs, func(l rpcLog) bool { return odd[l.Address] })
	expect.Equal(t, "answers", expected(t, "chain-a", ".gz"), decodeAll(t, nft.Decoder{}, blocks, logs))
}

// expected returns the answers of two public decoders for a folder of the recorded data.
func expected(t *testing.T, folder, packed string) [3][]chaintest.Answer {
	t.Helper()
	list := func(name string) []chaintest.Answer {
		return chaintest.Values[chaintest.Answer](t, folder+"/expected-"+name+".ndjson"+packed)
	}
	return [3][]chaintest.Answer{list("mints"), list("burns")}
}

func TestDecode_ChainA_DeadIsABurnAddress(t *testing.T) {
	blocks, logs, _ := chainA(t)
	want := chaintest.WantAnswers(t)
	want[nft.Burn] = append(want[nft.Burn], chaintest.Values[chaintest.Answer](t, "chain-a/expected-dead.ndjson")...)
	slices.SortFunc(want[nft.Burn], func(a, b chaintest.Answer) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Log, b.Log), cmp.Compare(a.Sub, b.Sub))
	})
	expect.Equal(t, "answers", want, decodeAll(t, nft.Decoder{BurnAddresses: map[evm.Address]bool{dead: true}}, blocks, logs))
}

// TestDecode_Real decodes mainnet blocks, except [repeatedIndex], which has its own test.
func TestDecode_Real(t *testing.T) {
	samples, err := filepath.Glob(filepath.Join(chaintest.Data(t, "real"), "mainnet-*"))
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, sample := range samples {
		name := filepath.Base(sample)
		if name == repeatedIndex {
			continue
		}
		t.Run(name, func(t *testing.T) {
			has := func(file string) bool {
				_, err := os.Stat(filepath.Join(sample, file))
				return err == nil
			}
			var logs []rpcLog
			if has("receipts.json.gz") {
				for _, r := range chaintest.Values[[]rpcReceipt](t, "real/"+name+"/receipts.json.gz")[0] {
					logs = append(logs, r.Logs...)
				}
			} else {
				logs = chaintest.Values[[]rpcLog](t, "real/"+name+"/logs.json.gz")[0]
			}
			want := expected(t, "real/"+name, "")
			var blocks []rpcBlock
			if has("blocks.json.gz") {
				blocks = chaintest.Values[[]rpcBlock](t, "real/"+name+"/blocks.json.gz")[0]
			} else {
				dropTimes(want[nft.Mint])
				dropTimes(want[nft.Burn])
			}
			expect.Equal(t, "answers", want, decodeAll(t, nft.Decoder{}, blocks, logs))
		})
	}
}

// repeatedIndex is a block in which an old node gave every log the index 0, because it counted
// from 0 in each transaction.
const repeatedIndex = "mainnet-14000009-one-drop"

func TestDecode_Real_RepeatedIndex(t *testing.T) {
	logs := chaintest.Values[[]rpcLog](t, "real/"+repeatedIndex+"/logs.json.gz")[0]
	var block []evm.Log
	var got []chaintest.Answer
	for _, l := range logs {
		block = append(block, l.log())
		got = append(got, decodeAll(t, nft.Decoder{}, nil, []rpcLog{l})[nft.Mint]...)
	}
	mints := chaintest.Values[chaintest.Answer](t, "real/"+repeatedIndex+"/expected-mints.ndjson.gz")
	dropTimes(mints)
	expect.Equal(t, "mints, log by log", mints, got)
	if _, err := new(nft.Decoder).Decode(header, block); err == nil {
		t.Error("the block with repeated indexes was accepted")
	}
}

// dropTimes removes the times, for a sample without block headers.
func dropTimes(answers []chaintest.Answer) {
	for i := range answers {
		answers[i].Time = 0
	}
}
