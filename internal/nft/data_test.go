package nft_test

import (
	"cmp"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
)

// readAll reads JSON values one after the other from a file, which may have
// .gz after its name. What is missing altogether is fatal.
func readAll[T any](t *testing.T, dir, name string) (values []T) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, name))
	var r io.Reader = file
	if errors.Is(err, os.ErrNotExist) {
		if file, err = os.Open(filepath.Join(dir, name+".gz")); err == nil {
			r, err = gzip.NewReader(file)
		}
	}
	expect.NoError(t, err)
	defer file.Close()
	decoder := json.NewDecoder(r)
	for {
		var value T
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
		values = append(values, value)
	}
}

// rpcLog, rpcReceipt and rpcBlock are the parts of JSON-RPC results that the
// tests need.
type rpcLog struct {
	Address         evm.Address `json:"address"`
	Topics          []evm.Hash  `json:"topics"`
	Data            string      `json:"data"`
	BlockHash       evm.Hash    `json:"blockHash"`
	BlockNumber     evm.Long    `json:"blockNumber"`
	TransactionHash evm.Hash    `json:"transactionHash"`
	LogIndex        evm.Long    `json:"logIndex"`
	Removed         bool        `json:"removed"`
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

func (l rpcLog) log(t *testing.T) evm.Log {
	t.Helper()
	data, err := hex.DecodeString(strings.TrimPrefix(l.Data, "0x"))
	expect.NoError(t, err)
	return evm.Log{
		Address: l.Address, Topics: l.Topics, Data: data,
		TxHash: l.TransactionHash, Index: uint32(l.LogIndex), Removed: l.Removed,
	}
}

// answer is the transfer record of the answer keys, Batch their _batch.
type answer struct {
	TokenAddress    string  `json:"token_address"`
	ContractType    string  `json:"contract_type"`
	TokenID         string  `json:"token_id"`
	BlockHash       string  `json:"block_hash"`
	BlockNumber     uint64  `json:"block_number"`
	TransactionHash string  `json:"transaction_hash"`
	LogIndex        uint32  `json:"log_index"`
	From            string  `json:"from"`
	To              string  `json:"to"`
	Amount          string  `json:"amount"`
	Operator        *string `json:"operator"`
	Timestamp       *uint64 `json:"timestamp"`
	BlockTime       *uint64 `json:"block_time"`
	Batch           uint32  `json:"_batch"`
}

type rejectedAnswer struct {
	BlockNumber uint64 `json:"block_number"`
	LogIndex    uint32 `json:"log_index"`
	Reason      string `json:"reason"`
}

// answerOf is a record as an answer; timed says that the header's time is known.
func answerOf(header evm.Header, r nft.Record, timed bool) answer {
	a := answer{
		TokenAddress: r.Contract.String(), ContractType: string(r.Type), TokenID: r.TokenID.String(),
		BlockHash: header.Hash.String(), BlockNumber: header.Number, TransactionHash: r.TxHash.String(),
		LogIndex: r.LogIndex, From: r.From.String(), To: r.To.String(), Amount: r.Amount.String(), Batch: r.SubIndex,
	}
	if r.Type == nft.ERC1155 {
		operator := r.Operator.String()
		a.Operator = &operator
	}
	if timed {
		a.Timestamp, a.BlockTime = &header.Time, &header.Time
	}
	return a
}

// decoded is what a decoder makes of a number of blocks.
type decoded struct {
	mints, burns []answer
	rejected     []rejectedAnswer
}

// decodeAll decodes logs block by block. Blocks without a header get one from
// their logs, without a time.
func decodeAll(t *testing.T, decoder nft.Decoder, blocks []rpcBlock, logs []rpcLog) (got decoded) {
	t.Helper()
	headers := map[evm.Long]evm.Header{}
	timed := map[evm.Long]bool{}
	for _, b := range blocks {
		headers[b.Number] = evm.Header{
			BlockRef:   evm.BlockRef{Number: uint64(b.Number), Hash: b.Hash},
			ParentHash: b.ParentHash,
			Time:       uint64(b.Timestamp),
		}
		timed[b.Number] = true
	}
	byNumber := map[evm.Long][]evm.Log{}
	for _, l := range logs {
		if _, ok := headers[l.BlockNumber]; !ok {
			headers[l.BlockNumber] = evm.Header{BlockRef: evm.BlockRef{Number: uint64(l.BlockNumber), Hash: l.BlockHash}}
		}
		byNumber[l.BlockNumber] = append(byNumber[l.BlockNumber], l.log(t))
	}
	numbers := slices.Collect(func(yield func(evm.Long) bool) {
		for n := range headers {
			if !yield(n) {
				return
			}
		}
	})
	slices.SortFunc(numbers, cmp.Compare)
	for _, n := range numbers {
		block, err := decoder.Decode(headers[n], byNumber[n])
		expect.NoError(t, err)
		for _, r := range block.Mints {
			got.mints = append(got.mints, answerOf(block.Header, r, timed[n]))
		}
		for _, r := range block.Burns {
			got.burns = append(got.burns, answerOf(block.Header, r, timed[n]))
		}
		for _, r := range block.Rejected {
			got.rejected = append(got.rejected, rejectedAnswer{uint64(n), r.Log.Index, r.Reason})
		}
	}
	return got
}

func checkAnswers(t *testing.T, what string, want, got any) {
	t.Helper()
	expect.Equal(t, what, want, got)
}

// chainA is the recorded chain: its headers, and its logs as eth_getLogs and as
// the receipts give them.
func chainA(t *testing.T, dir string) (blocks []rpcBlock, fromLogs, fromReceipts []rpcLog) {
	t.Helper()
	type line struct {
		Block    rpcBlock     `json:"block"`
		Receipts []rpcReceipt `json:"receipts"`
	}
	for _, l := range readAll[line](t, dir, "bundle.ndjson") {
		blocks = append(blocks, l.Block)
		for _, r := range l.Receipts {
			fromReceipts = append(fromReceipts, r.Logs...)
		}
	}
	return blocks, readAll[rpcLog](t, dir, "logs.ndjson"), fromReceipts
}

func TestDecode_ChainA(t *testing.T) {
	dir := chaintest.Data(t, "chain-a")
	blocks, fromLogs, fromReceipts := chainA(t, dir)
	mints := readAll[answer](t, dir, "all-mints.ndjson")
	burns := readAll[answer](t, dir, "all-burns.ndjson")
	rejected := readAll[rejectedAnswer](t, dir, "all-rejected.ndjson")
	for name, logs := range map[string][]rpcLog{"logs": fromLogs, "receipts": fromReceipts} {
		t.Run(name, func(t *testing.T) {
			got := decodeAll(t, nft.Decoder{}, blocks, logs)
			checkAnswers(t, "mints", mints, got.mints)
			checkAnswers(t, "burns", burns, got.burns)
			checkAnswers(t, "rejected", rejected, got.rejected)
		})
	}
}

// The key of two public decoders leaves out the contracts that emit odd logs.
func TestDecode_ChainA_WithoutOddContracts(t *testing.T) {
	dir := chaintest.Data(t, "chain-a")
	blocks, logs, _ := chainA(t, dir)
	type oddLog struct {
		Log rpcLog `json:"log"`
	}
	odd := map[evm.Address]bool{}
	for _, o := range readAll[oddLog](t, dir, "odd.ndjson") {
		odd[o.Log.Address] = true
	}
	logs = slices.DeleteFunc(logs, func(l rpcLog) bool { return odd[l.Address] })
	got := decodeAll(t, nft.Decoder{}, blocks, logs)
	checkAnswers(t, "mints", readAll[answer](t, dir, "expected-mints.ndjson"), got.mints)
	checkAnswers(t, "burns", readAll[answer](t, dir, "expected-burns.ndjson"), got.burns)
	checkAnswers(t, "rejected", []rejectedAnswer(nil), got.rejected)
}

func TestDecode_ChainA_DeadIsABurnAddress(t *testing.T) {
	dir := chaintest.Data(t, "chain-a")
	blocks, logs, _ := chainA(t, dir)
	got := decodeAll(t, nft.Decoder{BurnAddresses: map[evm.Address]bool{dead: true}}, blocks, logs)
	want := slices.Concat(readAll[answer](t, dir, "all-burns.ndjson"), readAll[answer](t, dir, "expected-dead.ndjson"))
	slices.SortFunc(want, func(a, b answer) int {
		return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.Batch, b.Batch))
	})
	checkAnswers(t, "burns", want, got.burns)
	checkAnswers(t, "mints", readAll[answer](t, dir, "all-mints.ndjson"), got.mints)
}

// The blocks of mainnet, but for [repeatedIndex], which has a test of its own.
func TestDecode_Real(t *testing.T) {
	dir := chaintest.Data(t, "real")
	samples, err := filepath.Glob(filepath.Join(dir, "mainnet-*"))
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, sample := range samples {
		if filepath.Base(sample) == repeatedIndex {
			continue
		}
		t.Run(filepath.Base(sample), func(t *testing.T) {
			var logs []rpcLog
			if _, err := os.Stat(filepath.Join(sample, "receipts.json.gz")); err == nil {
				for _, r := range slices.Concat(readAll[[]rpcReceipt](t, sample, "receipts.json")...) {
					logs = append(logs, r.Logs...)
				}
			} else {
				logs = slices.Concat(readAll[[]rpcLog](t, sample, "logs.json")...)
			}
			var blocks []rpcBlock
			if _, err := os.Stat(filepath.Join(sample, "blocks.json.gz")); err == nil {
				blocks = slices.Concat(readAll[[]rpcBlock](t, sample, "blocks.json")...)
			}
			mints := readAll[answer](t, sample, "expected-mints.ndjson")
			burns := readAll[answer](t, sample, "expected-burns.ndjson")
			if len(blocks) == 0 {
				dropTimes(mints)
				dropTimes(burns)
			}
			got := decodeAll(t, nft.Decoder{}, blocks, logs)
			checkAnswers(t, "mints", mints, got.mints)
			checkAnswers(t, "burns", burns, got.burns)
			checkAnswers(t, "rejected", []rejectedAnswer(nil), got.rejected)
		})
	}
}

// repeatedIndex is a block for which an old node gave every log the index 0,
// counting in each transaction anew.
const repeatedIndex = "mainnet-14000009-one-drop"

func TestDecode_Real_RepeatedIndex(t *testing.T) {
	sample := chaintest.Data(t, "real/"+repeatedIndex)
	logs := slices.Concat(readAll[[]rpcLog](t, sample, "logs.json")...)
	block := make([]evm.Log, len(logs))
	var got []answer
	for i, l := range logs {
		block[i] = l.log(t)
		got = append(got, decodeAll(t, nft.Decoder{}, nil, []rpcLog{l}).mints...)
	}
	mints := readAll[answer](t, sample, "expected-mints.ndjson")
	dropTimes(mints)
	checkAnswers(t, "mints, log by log", mints, got)

	var decoder nft.Decoder
	if _, err := decoder.Decode(header, block); err == nil {
		t.Error("no error for the block as a whole")
	}
}

// dropTimes removes the times, for a sample without block headers.
func dropTimes(answers []answer) {
	for i := range answers {
		answers[i].Timestamp, answers[i].BlockTime = nil, nil
	}
}
