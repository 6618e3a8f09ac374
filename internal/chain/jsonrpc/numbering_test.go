package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// erc721 returns the log of an ERC-721 mint.
func erc721(id byte) evm.Log {
	return evm.Log{Address: evm.Address{1}, Topics: []evm.Hash{evm.TopicTransfer.Hash(), {}, {31: 1}, {31: id}}}
}

// TestNumbering_RecordedBlocks reads real blocks whose logs are not numbered as on Ethereum,
// from a node and from a recording.
func TestNumbering_RecordedBlocks(t *testing.T) {
	t.Parallel()
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
			if refused := errors.Is(err, rpcerror.ErrInconsistent); refused != test.refused || !refused && err != nil {
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

// TestNumbering_Index checks that the index of a log is its place where the receipts of its
// block are proved, and the node's elsewhere if it grows through the block. Whichever way
// blocks are read, their logs have the same indices.
func TestNumbering_Index(t *testing.T) {
	t.Parallel()
	perTransaction, gaps := chaintest.Shape{PerTransaction: true}, chaintest.Shape{Gaps: 1}
	notProvable := func(shape chaintest.Shape) chaintest.Shape { shape.OtherHash = true; return shape }
	for name, test := range map[string]struct {
		shape chaintest.Shape
		shown string
		want  []uint32
	}{
		"block":                        {chaintest.Shape{}, "[block]", []uint32{0, 1, 2}},
		"block, not provable":          {notProvable(chaintest.Shape{}), "[block]", []uint32{0, 1, 2}},
		"transaction":                  {perTransaction, "[transaction]", []uint32{0, 1, 2}},
		"transaction, not provable":    {notProvable(perTransaction), "[transaction]", []uint32{0, 1, 2}},
		"gaps":                         {gaps, "[transaction]", []uint32{0, 1, 2}},
		"gaps, not provable":           {notProvable(gaps), "[block]", []uint32{0, 2, 3}},
		"state sync that restarts":     {chaintest.Shape{StateSync: true, PerTransaction: true}, "[transaction]", []uint32{0, 1, 2, 3}},
		"state sync, grows":            {chaintest.Shape{StateSync: true}, "[block]", []uint32{0, 1, 2, 3}},
		"state sync, grows with holes": {chaintest.Shape{StateSync: true, Gaps: 1}, "[transaction]", []uint32{0, 1, 2, 3}},
	} {
		for path, read := range map[string]func(*jsonrpc.Client) ([]evm.Block, error){
			"ranges": func(c *jsonrpc.Client) ([]evm.Block, error) { b, _, err := c.Blocks(t.Context(), 1, 5); return b, err },
			"full":   func(c *jsonrpc.Client) ([]evm.Block, error) { b, _, err := c.Full(t.Context(), 1, 5); return b, err },
		} {
			t.Run(name+", "+path, func(t *testing.T) {
				node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: test.shape})
				for i := range byte(5) {
					node.Mine([]evm.Log{erc721(i)}, nil, []evm.Log{erc721(10 + i), erc721(20 + i)})
				}
				var shown []evm.Numbering
				o := lieOptions()
				o.Samples = 5
				o.OnNumbering = func(_ context.Context, numbering evm.Numbering, _ evm.BlockRef) error {
					shown = append(shown, numbering)
					return nil
				}
				blocks, err := read(dial(t, o, node.URL))
				expect.NoError(t, err)
				for _, b := range blocks {
					var got []uint32
					for _, log := range b.Logs {
						got = append(got, log.Index)
					}
					expect.Equal(t, "indices", test.want, got)
				}
				expect.Equal(t, "shown", test.shown, fmt.Sprint(shown))
			})
		}
	}
}
