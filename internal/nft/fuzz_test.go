package nft_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	gocmp "github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// FuzzDecode decodes one log with arbitrary topics and data. shape selects events and a zero
// address, which random bytes rarely hit.
func FuzzDecode(f *testing.F) {
	seeds := []evm.Log{
		transfer721(zero, alice, 9),
		newLog(data(pad(zero), pad(alice), word(9)), sigTransfer),
		single(alice, zero, numbers(9, 3)),
		batch(zero, alice, numbers(64, 160, 2, 7, 8, 2, 70, 80)),
		batch(zero, alice, numbers(64, 64, 2, 517, 3)),
		consecutive(zero, alice, word(3), word(50)),
		consecutive(alice, dead, word(0), maxWord),
	}
	for i, log := range seeds {
		var topics []byte
		for _, topic := range log.Topics {
			topics = append(topics, topic[:]...)
		}
		f.Add(byte(i), topics, log.Data)
		f.Add(byte(i+64), topics, log.Data)
		f.Add(byte(i+128), topics, log.Data)
	}
	const rangeCap = 64
	decoder := nft.Decoder{BurnAddresses: map[evm.Address]bool{dead: true}, Unindexed: map[evm.Address]bool{collection: true}, RangeCap: rangeCap}
	f.Fuzz(func(t *testing.T, shape byte, topicBytes, data []byte) {
		log := newLog(data)
		for len(topicBytes) >= 32 && len(log.Topics) < 6 {
			log.Topics = append(log.Topics, evm.Hash(topicBytes))
			topicBytes = topicBytes[32:]
		}
		signatures := []evm.Hash{sigTransfer, sigSingle, sigBatch, sigConsecutive}
		known := false
		if len(log.Topics) > 0 && shape < 192 {
			log.Topics[0] = signatures[shape%4]
		}
		if len(log.Topics) == 4 && shape >= 64 && shape < 128 {
			log.Topics[2] = pad(zero)
		}
		for _, s := range signatures {
			known = known || (len(log.Topics) > 0 && log.Topics[0] == s)
		}
		before := newLog(bytes.Clone(data), append([]evm.Hash(nil), log.Topics...)...)

		got, err := decoder.Decode(header, []evm.Log{log})
		if err != nil {
			t.Fatalf("decoding a single log: %v", err)
		}
		if diff := gocmp.Diff(before, log); diff != "" && len(data) > 0 {
			t.Errorf("the log was changed (-before +after):\n%s", diff)
		}
		if got.Header != header {
			t.Errorf("got header %v, want %v", got.Header, header)
		}
		outcomes := 0
		for _, n := range []int{len(got.Mints), len(got.Burns), len(got.Rejected)} {
			if n > 0 {
				outcomes++
			}
		}
		if outcomes > 1 || len(got.Rejected) > 1 || (outcomes > 0 && !known) {
			t.Errorf("one log became %d mints, %d burns and %d rejected logs", len(got.Mints), len(got.Burns), len(got.Rejected))
		}
		if most := max(rangeCap, len(data)/32); len(got.Mints)+len(got.Burns) > most {
			t.Errorf("%d records from %d bytes of data", len(got.Mints)+len(got.Burns), len(data))
		}
		for i, r := range got.Mints {
			checkRecord(t, log, r, i)
			if r.Kind != nft.Mint || !r.From.IsZero() || r.To.IsZero() {
				t.Errorf("not a mint: %+v", r)
			}
		}
		for i, r := range got.Burns {
			checkRecord(t, log, r, i)
			if r.Kind != nft.Burn || r.From.IsZero() || (!r.To.IsZero() && r.To != dead) {
				t.Errorf("not a burn: %+v", r)
			}
		}
		for _, r := range got.Rejected {
			if r.Reason == "" {
				t.Error("rejected without a reason")
			}
		}
	})
}

// checkRecord checks the properties of record i of a log.
func checkRecord(t *testing.T, log evm.Log, r nft.Record, i int) {
	t.Helper()
	if r.SubIndex != uint32(i) || r.LogIndex != log.Index || r.TxHash != log.TxHash || r.Contract != log.Address {
		t.Errorf("record %d belongs to another log: %+v", i, r)
	}
	if r.Type == nft.ERC721 && (r.Amount != evm.NewUint256(1) || r.Operator != zero) {
		t.Errorf("ERC-721 record with amount or operator: %+v", r)
	}
}

// FuzzDecode_TransferBatch checks that the batch decoder and go-ethereum's ABI decoder accept
// and reject the same data.
func FuzzDecode_TransferBatch(f *testing.F) {
	for _, words := range [][]byte{
		nil,
		numbers(64, 96, 0, 0),
		numbers(64, 160, 2, 7, 8, 2, 70, 80),
		numbers(64, 64, 2, 517, 3),
		numbers(128, 64, 1, 70, 1, 7),
		numbers(96, 224, 999, 1, 7, 999, 999, 1, 70),
		numbers(64, 128, 1, 7, 2, 70, 80),
		numbers(0, 0),
		numbers(64, 128, 1, 7, 1, 70)[:190],
		numbers(64, 1<<63, 1<<59, 0),
		append(numbers(65, 65, 0), 3, 4, 5),
		data(word(64), word(64), maxWord),
	} {
		f.Add(words)
	}
	uints, err := abi.NewType("uint256[]", "", nil)
	expect.NoError(f, err)
	arguments := abi.Arguments{{Type: uints}, {Type: uints}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var decoder nft.Decoder
		got, err := decoder.Decode(header, []evm.Log{batch(zero, alice, data)})
		expect.NoError(t, err)
		values, err := arguments.Unpack(data)
		if err != nil {
			if len(got.Rejected) != 1 || got.Rejected[0].Reason == nft.ReasonLengths {
				t.Fatalf("decoded as %+v, but go-ethereum rejects it: %v", got, err)
			}
			return
		}
		ids, amounts := values[0].([]*big.Int), values[1].([]*big.Int)
		if len(ids) != len(amounts) {
			if len(got.Rejected) != 1 || got.Rejected[0].Reason != nft.ReasonLengths {
				t.Fatalf("decoded as %+v: %d ids, %d amounts", got, len(ids), len(amounts))
			}
			return
		}
		if len(got.Rejected) != 0 || len(got.Mints) != len(ids) {
			t.Fatalf("%d mints, rejected %+v: want %d mints", len(got.Mints), got.Rejected, len(ids))
		}
		for i, r := range got.Mints {
			if r.TokenID.String() != ids[i].String() || r.Amount.String() != amounts[i].String() {
				t.Fatalf("record %d: %s × %s: want %s × %s", i, r.TokenID, r.Amount, ids[i], amounts[i])
			}
		}
	})
}
