package wire_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/chain/wire"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// FuzzArchivedBlock checks that no text makes ArchivedBlock panic, and that its logs are valid.
func FuzzArchivedBlock(f *testing.F) {
	_, blocks, receipts := chaintest.ChainA(f)
	for i := 36; i < 40; i++ {
		var texts [3][]byte
		for j, value := range []any{blocks[i].Header(), blocks[i].Body(), receipts[i]} {
			var err error
			texts[j], err = rlp.EncodeToBytes(value)
			expect.NoError(f, err)
		}
		f.Add(texts[0], texts[1], texts[2], false)
	}
	f.Fuzz(func(t *testing.T, header, body, receipts []byte, slim bool) {
		block, err := wire.ArchivedBlock(header, body, receipts, slim)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		for _, log := range block.Logs {
			if len(log.Topics) > 4 || log.TxHash.IsZero() {
				t.Errorf("log %v", log)
			}
		}
	})
}

// texts are the elements of a trie.
type texts [][]byte

func (l texts) Len() int { return len(l) }

func (l texts) EncodeIndex(i int, w *bytes.Buffer) { w.Write(l[i]) }

// TestArchivedBlock has receipts with fields after the logs, and headers with other roots.
func TestArchivedBlock(t *testing.T) {
	encode := func(value any) []byte {
		text, err := rlp.EncodeToBytes(value)
		expect.NoError(t, err)
		return text
	}
	root := func(list texts) common.Hash { return types.DeriveSha(list, trie.NewStackTrie(nil)) }
	large := new(big.Int).Lsh(big.NewInt(3), 64)
	for name, c := range map[string]struct {
		kind byte
		tail []any
		edit func(h *types.Header)
		want string
	}{
		"Ethereum":           {2, nil, nil, ""},
		"a deposit":          {0x7e, []any{uint64(7), uint64(1)}, nil, ""},
		"Celo":               {0x7b, []any{large}, nil, ""},
		"a large nonce":      {0x7e, []any{large, uint64(1)}, nil, "field 1 after the logs has more than 64 bits"},
		"three fields":       {0x7e, []any{uint64(7), uint64(1), uint64(2)}, nil, "got 3 fields after the logs, want at most 2"},
		"other transactions": {2, nil, func(h *types.Header) { h.TxHash = common.Hash{1} }, "the root of the transactions is 0x"},
		"other receipts":     {2, nil, func(h *types.Header) { h.ReceiptHash = common.Hash{1} }, "the root of the receipts is 0x"},
	} {
		receipt := append([]any{[]byte{1}, uint64(21_000), types.Bloom{}, []any{}}, c.tail...)
		tx, full := texts{append([]byte{c.kind}, encode([]any{uint64(1)})...)}, texts{append([]byte{c.kind}, encode(receipt)...)}
		header := &types.Header{Number: big.NewInt(5), Difficulty: new(big.Int), TxHash: root(tx), ReceiptHash: root(full)}
		if c.edit != nil {
			c.edit(header)
		}
		slim := append([]any{uint64(c.kind), []byte{1}, uint64(21_000), []any{}}, c.tail...)
		for form, receipts := range map[string][]byte{"with blooms": encode(full), "slim": encode([]any{slim})} {
			block, err := wire.ArchivedBlock(encode(header), encode([]any{tx, []any{}}), receipts, form == "slim")
			if c.want == "" && (err != nil || block.Header.Number != 5) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: %+v, error %v, want %q", name, form, block, err, c.want)
			}
		}
	}
}

// TestArchivedBlock_NoBlooms has an empty string instead of each bloom filter (EIP-7668).
func TestArchivedBlock_NoBlooms(t *testing.T) {
	encode := func(value any) []byte {
		text, err := rlp.EncodeToBytes(value)
		expect.NoError(t, err)
		return text
	}
	receipt, tx := []any{[]byte{1}, uint64(21_000), []byte{}, []any{}}, texts{encode([]any{uint64(1)})}
	header := &types.Header{Number: big.NewInt(5), Difficulty: new(big.Int), TxHash: types.DeriveSha(tx, trie.NewStackTrie(nil))}
	header.ReceiptHash = types.DeriveSha(texts{encode(receipt)}, trie.NewStackTrie(nil))
	var fields []rlp.RawValue
	expect.NoError(t, rlp.DecodeBytes(encode(header), &fields))
	fields[6] = rlp.EmptyString
	body := encode([]any{[]rlp.RawValue{tx[0]}, []any{}})
	for form, receipts := range map[string][]byte{"whole": encode([]any{receipt}), "slim": encode([]any{[]any{uint64(0), []byte{1}, uint64(21_000), []any{}}})} {
		block, err := wire.ArchivedBlock(encode(fields), body, receipts, form == "slim")
		if err != nil || block.Header.Number != 5 {
			t.Errorf("%s: %+v, error %v", form, block, err)
		}
	}
}
