package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
)

// erc721 returns the log of an ERC-721 mint.
func erc721(id byte) evm.Log {
	return evm.Log{Address: evm.Address{1}, Topics: []evm.Hash{evm.TopicTransfer.Hash(), {}, {31: 1}, {31: id}}}
}

// TestNumbering_RecordedBlocks reads real blocks whose logs are not numbered as on Ethereum,
// from a node and from a recording.
func TestNumbering_RecordedBlocks(t *testing.T) {
	upTo := func(n uint32) (list []uint32) {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	for _, test := range []struct {
		folder  string
		number  uint64
		indices []uint32
		shown   evm.Numbering
		refused bool
	}{
		{"cronos-68215", 68_215, upTo(43), evm.NumberingBlock, false},
		{"cronos-68216", 68_216, upTo(8), evm.NumberingUnknown, true},
		{"cronos-11446765", 11_446_765, append(upTo(7), upTo(37)[9:]...), evm.NumberingBlock, false},
		{"stable-testnet-42767022", 42_767_022, upTo(5), evm.NumberingTransaction, false},
		{"tempo-mainnet-17708868", 17_708_868, upTo(7), evm.NumberingBlock, false},
	} {
		t.Run(test.folder, func(t *testing.T) {
			recorded, node := chaintest.RecordedBlock(t, test.folder), chaintest.NewNode(t, chaintest.NodeOptions{})
			expect.NoError(t, node.Play(recorded))
			_, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), test.number, test.number)
			if refused := errors.Is(err, jsonrpc.ErrInconsistent); refused != test.refused || !refused && err != nil {
				t.Errorf("from a node: %v, want refused: %t", err, test.refused)
			}
			for _, item := range items(t, bytes.NewReader(recorded.Line()), "-") {
				var got []uint32
				for i := range item.Block.Logs {
					got = append(got, item.Block.Logs[i].Index)
				}
				if diff := cmp.Diff(test.indices, got); diff != "" || item.Numbering != test.shown || item.Proven {
					t.Errorf("recorded: shows %q, want %q; proven %t; log indices (-want +got):\n%s", item.Numbering, test.shown, item.Proven, diff)
				}
			}
		})
	}
}

// TestNumbering_Decided checks that the numbering of the first block is reported once, and
// that all other blocks are compared with it.
func TestNumbering_Decided(t *testing.T) {
	perTransaction := chaintest.Shape{PerTransaction: true, OtherHash: true}
	for name, test := range map[string]struct {
		shape chaintest.Shape
		known evm.Numbering
		told  evm.Numbering
		err   error
	}{
		"block":                    {chaintest.Shape{}, evm.NumberingUnknown, evm.NumberingBlock, nil},
		"block, known":             {chaintest.Shape{}, evm.NumberingBlock, evm.NumberingUnknown, nil},
		"transaction":              {perTransaction, evm.NumberingUnknown, evm.NumberingTransaction, nil},
		"transaction, known":       {perTransaction, evm.NumberingTransaction, evm.NumberingUnknown, nil},
		"transaction, block known": {perTransaction, evm.NumberingBlock, evm.NumberingUnknown, jsonrpc.ErrInconsistent},
		"block after transaction":  {chaintest.Shape{}, evm.NumberingTransaction, evm.NumberingUnknown, nil},
		"gaps, not provable":       {chaintest.Shape{Gaps: 1, OtherHash: true}, evm.NumberingUnknown, evm.NumberingBlock, nil},
		"gaps, provable":           {chaintest.Shape{Gaps: 1}, evm.NumberingUnknown, evm.NumberingUnknown, jsonrpc.ErrInconsistent},
	} {
		for path, read := range map[string]func(*jsonrpc.Client) error{
			"ranges": func(c *jsonrpc.Client) error { _, err := c.Range(t.Context(), 1, 5); return err },
			"full":   func(c *jsonrpc.Client) error { _, _, err := c.Full(t.Context(), 1, 5); return err },
		} {
			t.Run(name+", "+path, func(t *testing.T) {
				node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: test.shape})
				for i := range byte(5) {
					node.Mine([]evm.Log{erc721(i)}, nil, []evm.Log{erc721(10 + i), erc721(20 + i)})
				}
				var told []string
				o := lieOptions()
				o.Numbering, o.Samples = test.known, 5
				o.OnNumbering = func(_ context.Context, shown evm.Numbering, block evm.BlockRef) (evm.Numbering, error) {
					told = append(told, fmt.Sprint(shown, " ", block.Number))
					return shown, nil
				}
				if err := read(dial(t, o, node.URL)); !errors.Is(err, test.err) {
					t.Errorf("got the error %v, want %v", err, test.err)
				}
				var want []string
				if test.told != evm.NumberingUnknown {
					want = []string{fmt.Sprint(test.told, " ", 1)}
				}
				expect.Equal(t, "told", want, told)
			})
		}
	}
}
