package jsonrpc_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// provableNetworks are the [chaintest.Networks] whose blocks are provable. So is a Polygon
// block without state sync.
var provableNetworks = map[string]bool{"OP stack": true, "Arbitrum": true, "per transaction": true, "Celo": true}

// networks returns [chaintest.Networks] and Celo.
func networks() map[string]chaintest.Shape {
	all := chaintest.Networks()
	all["Celo"] = chaintest.Shape{Types: []uint8{chaintest.CeloType, 2, 0}, ReceiptFields: map[string]any{"baseFee": "0x1"}}
	return all
}

// network returns a node with five blocks of four transactions each, in a network's form.
func network(t testing.TB, shape chaintest.Shape) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
	for i := range byte(5) {
		node.Mine([]evm.Log{erc721(i)}, []evm.Log{erc721(10 + i)}, nil, []evm.Log{erc721(20 + i), erc721(30 + i)})
	}
	return node
}

// TestNetworks reads blocks of each network with every method. All must return the same
// logs, and each block must be either proved or reported as not provable.
func TestNetworks(t *testing.T) {
	t.Parallel()
	for name, shape := range networks() {
		t.Run(name, func(t *testing.T) {
			provable := provableNetworks[name]
			a, b := network(t, shape), network(t, shape)
			c := dial(t, lieOptions(), a.URL, b.URL)
			full, proven, err := c.Full(t.Context(), 1, 5)
			if err != nil || proven != provable {
				t.Fatalf("Full: proven %t, error %v; want %t", proven, err, provable)
			}
			for i, block := range full {
				want := a.Blocks()[1+i]
				if block.Header != want.Header || len(block.Logs) != len(want.Logs) {
					t.Errorf("Full: %d logs of block %+v, want %d of %+v", len(block.Logs), block.Header, len(want.Logs), want.Header)
				}
				for k, log := range block.Logs {
					if !shape.PerTransaction && log.Index != want.Logs[k].Index || shape.PerTransaction && log.Index != uint32(k) {
						t.Errorf("Full: block %d: log %d has the index %d", want.Header.Number, k, log.Index)
					}
				}
			}
			ranged, err := dial(t, lieOptions(), a.URL, b.URL).Range(t.Context(), 1, 5)
			expect.NoError(t, err)
			for i := range ranged {
				// The parent is unknown if the header was not requested.
				ranged[i].Header.ParentHash = full[i].Header.ParentHash
			}
			if !reflect.DeepEqual(full, ranged) {
				t.Errorf("by ranges (-full +ranges):\n%s", cmp.Diff(full, ranged))
			}
			block, err := c.Proven(t.Context(), 3)
			if provable && (err != nil || !reflect.DeepEqual(full[2], block)) || !provable && !errors.Is(err, rpcerror.ErrNotProvable) {
				t.Errorf("Proven: error %v, provable %t (-full +proven):\n%s", err, provable, cmp.Diff(full[2], block))
			}
			item := items(t, bytes.NewReader(a.Recorded(3).Line()), "-")[0]
			if item.Proven != provable || !reflect.DeepEqual(full[2], *item.Block) {
				t.Errorf("recorded: proven %t, want %t (-full +recorded):\n%s", item.Proven, provable, cmp.Diff(full[2], *item.Block))
			}
		})
	}
}

// TestNetworks_Liar changes a token id in every answer of a node. The answer must be
// rejected if blocks are provable, and on Polygon, where the receipts root covers all
// receipts except the last.
func TestNetworks_Liar(t *testing.T) {
	t.Parallel()
	token := func(id byte) string { return evm.Hash{31: id}.String() }
	for name, shape := range networks() {
		t.Run(name, func(t *testing.T) {
			node := network(t, shape)
			for _, method := range []string{"eth_getLogs", "eth_getBlockReceipts", "eth_getTransactionReceipt"} {
				node.Break(0, chaintest.Replace(token(22), token(99)), chaintest.Method(method))
			}
			refused := provableNetworks[name] || name == "Polygon"
			_, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 1, 5)
			if refused != rpcerror.Contradicts(err) || !refused && err != nil {
				t.Errorf("Full: error %v, want refused: %t", err, refused)
			}
			if _, err := dial(t, lieOptions(), node.URL).Proven(t.Context(), 3); refused && !errors.Is(err, rpcerror.ErrMismatch) {
				t.Errorf("Proven: error %v, want %v", err, rpcerror.ErrMismatch)
			}
		})
	}
}

// TestNetworks_InventedReceipt adds a state sync receipt to blocks without a seal, and one
// with another transaction hash to blocks with a seal.
func TestNetworks_InventedReceipt(t *testing.T) {
	t.Parallel()
	sealed, unsealed := network(t, chaintest.Shape{StateSync: true}), network(t, chaintest.Shape{StateSync: true, Unsealed: true})
	var header struct{ Transactions []string }
	chaintest.Parse(t, sealed.Recorded(3).Block, &header)
	sealed.Break(0, chaintest.Replace(header.Transactions[len(header.Transactions)-1], evm.Hash{1}.String()), nil)
	for name, node := range map[string]*chaintest.Node{"no seal": unsealed, "another transaction": sealed} {
		if _, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 3, 3); !errors.Is(err, rpcerror.ErrMismatch) {
			t.Errorf("%s: Full: %v, want %v", name, err, rpcerror.ErrMismatch)
		}
		if _, err := dial(t, lieOptions(), node.URL).Proven(t.Context(), 3); !errors.Is(err, rpcerror.ErrMismatch) {
			t.Errorf("%s: Proven: %v, want %v", name, err, rpcerror.ErrMismatch)
		}
	}
}

// TestNetworks_CeloWithoutBaseFee leaves the base fee out of Celo's receipts, or changes it.
func TestNetworks_CeloWithoutBaseFee(t *testing.T) {
	t.Parallel()
	node := network(t, networks()["Celo"])
	for with, want := range map[string]error{`"other":`: rpcerror.ErrNotProvable, `"baseFee":null,"other":`: rpcerror.ErrNotProvable, `"baseFee":{},"other":`: rpcerror.ErrNotProvable, `"baseFee":"0x1","other":`: rpcerror.ErrMismatch} {
		node.ClearFaults()
		node.Break(0, chaintest.Replace(`"baseFee":`, with), nil)
		c := dial(t, lieOptions(), node.URL)
		if _, err := c.Proven(t.Context(), 3); !errors.Is(err, want) {
			t.Errorf("%s Proven: %v, want %v", with, err, want)
		}
		if blocks, proven, err := c.Full(t.Context(), 3, 3); want == rpcerror.ErrNotProvable && (err != nil || len(blocks) != 1 || len(blocks[0].Logs) != 4) {
			t.Errorf("%s Full: %+v, %t, %v", with, blocks, proven, err)
		}
	}
}
