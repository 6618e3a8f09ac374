package recording_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// oddContract is the contract whose logs have odd values.
var oddContract = evm.Address{2}

// oddBlock returns a recorded block in which contract has a log of topics, between and after
// ERC-721 mints.
func oddBlock(t testing.TB, shape chaintest.Shape, topics ...evm.Hash) recorded {
	t.Helper()
	mint := func(id byte) evm.Log {
		return evm.Log{Address: evm.Address{1}, Topics: []evm.Hash{evm.TopicTransfer.Hash(), {}, {31: 1}, {31: id}}}
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
	odd := evm.Log{Address: oddContract, Topics: topics}
	node.Mine([]evm.Log{mint(1), odd, mint(2)}, nil, []evm.Log{mint(3), odd})
	var parts struct {
		Block    map[string]any
		Receipts []any
	}
	chaintest.Parse(t, node.Recorded(1).Line(), &parts)
	return recorded{parts.Block, parts.Receipts}
}

// edit sets a value in the logs of oddContract.
func (r recorded) edit(odd chaintest.Odd) {
	for i := range r.receipts {
		for j := range r.receipt(i)["logs"].([]any) {
			if log := r.log(i, j); strings.EqualFold(log["address"].(string), oddContract.String()) {
				odd.Set(log)
			}
		}
	}
}

// lines returns the block as a line with receipts and as a line with logs.
func (r recorded) lines(t testing.TB) map[string][]byte {
	t.Helper()
	var logs []any
	for i := range r.receipts {
		of, _ := r.receipt(i)["logs"].([]any)
		logs = append(logs, of...)
	}
	lines := map[string][]byte{}
	for name, line := range map[string]any{
		"receipts": map[string]any{"block": r.block, "receipts": r.receipts}, "logs": map[string]any{"block": r.block, "logs": logs},
	} {
		text, err := json.Marshal(line)
		expect.NoError(t, err)
		lines[name] = text
	}
	return lines
}

// TestLine_OddLog imports blocks in which a log of another contract has a value that no record
// needs. The mints have the right places.
func TestLine_OddLog(t *testing.T) {
	for chain, shape := range map[string]chaintest.Shape{"": {}, ", not provable": {OtherHash: true}, ", per transaction": {PerTransaction: true}} {
		for _, odd := range chaintest.OddLogs() {
			r := oddBlock(t, shape, evm.Hash{1}, evm.Hash{31: 1})
			r.edit(odd)
			for form, line := range r.lines(t) {
				if form == "logs" && shape.PerTransaction {
					continue // needs receipts
				}
				t.Run(odd.String()+", "+form+chain, func(t *testing.T) {
					item, err := recording.NewLineDecoder()(line)
					expect.NoError(t, err)
					var mints []uint32
					for _, log := range item.Block.Logs {
						if len(log.Topics) == 4 && log.Address == (evm.Address{1}) {
							mints = append(mints, log.Index)
						}
					}
					expect.Equal(t, "indices of the mints", []uint32{0, 2, 3}, mints)
					// The receipts root covers address, topics and data.
					covered := slices.Contains([]string{"address", "topics", "data"}, odd.Field)
					if form == "receipts" && !shape.OtherHash && !covered && !item.Proven {
						t.Error("not proved")
					}
				})
			}
		}
	}
}

// TestLine_OddEvent checks that the same value in a decoded event is an error that names the
// field.
func TestLine_OddEvent(t *testing.T) {
	for _, odd := range chaintest.OddLogs() {
		r := oddBlock(t, chaintest.Shape{}, evm.TopicTransferSingle.Hash(), evm.Hash{31: 3}, evm.Hash{}, evm.Hash{31: 3})
		r.edit(odd)
		for form, line := range r.lines(t) {
			strict := false
			switch odd.Field {
			case "address":
				strict = true
			case "data":
				strict = odd.Value != "0x0"
			case "transactionHash":
				// A receipt names it.
				strict = odd.Value != nil || form == "logs"
			case "logIndex", "removed":
				// A log without index is pending.
				strict = odd.Value != nil
			case "topics":
				continue // it is no decoded event any more
			}
			if strict {
				t.Run(odd.String()+", "+form, func(t *testing.T) {
					if _, err := recording.NewLineDecoder()(line); err == nil || !strings.Contains(err.Error(), odd.Field+": ") {
						t.Errorf("error %v, want %s named", err, odd.Field)
					}
				})
			}
		}
	}
}

// TestLine_OddReceipt imports blocks whose receipts have a value that no record needs.
func TestLine_OddReceipt(t *testing.T) {
	for _, odd := range chaintest.OddReceipts() {
		t.Run(odd.String(), func(t *testing.T) {
			r := oddBlock(t, chaintest.Shape{}, evm.Hash{1})
			for i := range r.receipts {
				odd.Set(r.receipt(i))
			}
			item, err := recording.NewLineDecoder()(r.lines(t)["receipts"])
			expect.NoError(t, err)
			expect.Equal(t, "logs", 5, len(item.Block.Logs))
		})
	}
}

// TestLine_OddReceipts imports blocks whose receipts are in another order, repeated, of other
// transactions or without a type. All are proved.
func TestLine_OddReceipts(t *testing.T) {
	other := map[string]any{"transactionHash": h1, "logs": []any{}, "status": "0x1"}
	for name, edit := range map[string]func(r *recorded){
		"as they are":          func(*recorded) {},
		"backwards":            func(r *recorded) { slices.Reverse(r.receipts) },
		"first twice":          func(r *recorded) { r.receipts = append(r.receipts, r.receipts[0]) },
		"all twice":            func(r *recorded) { r.receipts = append(r.receipts, r.receipts...) },
		"one unlisted":         func(r *recorded) { r.receipts = append([]any{other}, r.receipts...) },
		"unlisted, twice":      func(r *recorded) { r.receipts = append(r.receipts, other, other) },
		"logs null":            func(r *recorded) { r.receipt(1)["logs"] = nil },
		"no type of the first": func(r *recorded) { delete(r.receipt(0), "type") },
		"types of the transactions": func(r *recorded) {
			for i, hash := range r.block["transactions"].([]any) {
				r.block["transactions"].([]any)[i] = map[string]any{"hash": hash, "type": r.receipt(i)["type"]}
				delete(r.receipt(i), "type")
			}
		},
	} {
		for chain, shape := range map[string]chaintest.Shape{"": {}, ", zero filters": {ZeroBlooms: true}, ", no filters": {NoBloomsFrom: 1}} {
			t.Run(name+chain, func(t *testing.T) {
				r := oddBlock(t, shape, evm.Hash{1})
				edit(&r)
				item, err := recording.NewLineDecoder()(r.lines(t)["receipts"])
				if err != nil || !item.Proven {
					t.Fatalf("proven %t, error %v", item.Proven, err)
				}
				for i, log := range item.Block.Logs {
					if log.Index != uint32(i) || log.TxIndex.N != uint32(2*(i/3)) {
						t.Errorf("log %d has the index %d in transaction %v", i, log.Index, log.TxIndex)
					}
				}
			})
		}
	}
}

// TestLine_OddFilter imports blocks whose header has no bloom filter of Ethereum's form, with
// logs and with receipts.
func TestLine_OddFilter(t *testing.T) {
	for name, value := range map[string]any{
		"empty": "0x", "null": nil, "empty text": "", "a byte": "0x00", "257 bytes": "0x" + strings.Repeat("00", 257),
		"a number": 0, "no hex": "0x" + strings.Repeat("zz", 256), "all zero": "0x" + strings.Repeat("00", 256), "an array": []any{},
	} {
		r := oddBlock(t, chaintest.Shape{}, evm.Hash{1})
		r.block["logsBloom"] = value
		for form, line := range r.lines(t) {
			t.Run(name+", "+form, func(t *testing.T) {
				item, err := recording.NewLineDecoder()(line)
				if err != nil || item.Proven || len(item.Block.Logs) != 5 {
					t.Errorf("proven %t, error %v", item.Proven, err)
				}
			})
		}
	}
}
