package chaintest

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Answer is a mint, burn or rejected log in the format of the recorded data's answer keys.
type Answer struct {
	Token    string  `json:"token_address"`
	Type     string  `json:"contract_type"`
	ID       string  `json:"token_id"`
	Hash     string  `json:"block_hash"`
	Block    uint64  `json:"block_number"`
	Tx       string  `json:"transaction_hash"`
	Log      uint32  `json:"log_index"`
	Sub      uint32  `json:"_batch"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Amount   string  `json:"amount"`
	Operator *string `json:"operator"`
	Time     uint64  `json:"block_time"`
	Reason   string  `json:"reason"`
}

// AnswerOf converts a record of a block to an Answer.
func AnswerOf(block evm.BlockRef, time uint64, r nft.Record) Answer {
	a := Answer{
		Token: r.Contract.String(), Type: string(r.Type), ID: r.TokenID.String(), Hash: block.Hash.String(), Block: block.Number,
		Tx: r.TxHash.String(), Log: r.LogIndex, Sub: r.SubIndex, From: r.From.String(), To: r.To.String(), Amount: r.Amount.String(), Time: time,
	}
	if r.Type == nft.ERC1155 {
		a.Operator = new(r.Operator.String())
	}
	return a
}

// Answers returns the mints, burns and rejected logs of decoded blocks, in this order.
func Answers(blocks ...nft.Block) (answers [3][]Answer) {
	for _, b := range blocks {
		for kind, records := range [][]nft.Record{b.Mints, b.Burns} {
			for _, r := range records {
				answers[kind] = append(answers[kind], AnswerOf(b.Header.BlockRef, b.Header.Time, r))
			}
		}
		for _, r := range b.Rejected {
			answers[2] = append(answers[2], Answer{Block: b.Header.Number, Log: r.Log.Index, Reason: r.Reason})
		}
	}
	return answers
}

// WantAnswers returns the expected [Answers] for the whole recorded chain. See [Data].
func WantAnswers(t testing.TB) [3][]Answer {
	t.Helper()
	list := func(name string) []Answer { return Values[Answer](t, "chain-a/all-"+name) }
	return [3][]Answer{list("mints.ndjson.gz"), list("burns.ndjson.gz"), list("rejected.ndjson")}
}

// Values returns the JSON values in a file of the recorded data. See [Data].
func Values[T any](t testing.TB, name string) (values []T) {
	t.Helper()
	for decoder := json.NewDecoder(bytes.NewReader(Unpacked(t, name))); ; {
		var value T
		if err := decoder.Decode(&value); err == io.EOF {
			return values
		} else if err != nil {
			t.Fatalf("%s: value %d: %v", name, len(values)+1, err)
		}
		values = append(values, value)
	}
}
