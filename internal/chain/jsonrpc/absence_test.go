package jsonrpc_test

import (
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// swap returns a log of another contract, which the client does not select.
func swap(amount byte) evm.Log {
	return evm.Log{Address: evm.Address{2}, Topics: []evm.Hash{{1}, {31: 1}, {31: 2}}, Data: append(make([]byte, 31), amount)}
}

// mixed returns a node with eight blocks: a mint in the first of two transactions, no
// transaction, one swap, and again. The last transaction of each block has no mint.
func mixed(t testing.TB, o chaintest.NodeOptions) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, o)
	for i := range byte(8) {
		switch i % 3 {
		case 0:
			node.Mine([]evm.Log{erc721(i)}, []evm.Log{swap(i)})
		case 1:
			node.MineEmpty(1)
		default:
			node.Mine([]evm.Log{swap(i)})
		}
	}
	return node
}

// checkReadings reads all blocks of a node in each way, with all of them sampled, and compares
// their logs. proven is whether Full proves them.
func checkReadings(t *testing.T, node *chaintest.Node, proven bool) {
	t.Helper()
	whole := node.Blocks()
	o := lieOptions()
	o.Samples, o.AcceptUnprovable = len(whole), true
	for name, read := range readings {
		got, err := read(t.Context(), dial(t, o, node.URL), 0, uint64(len(whole)-1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkBlocks(t, whole, onlyFull(got))
	}
	_, got, err := dial(t, o, node.URL).Full(t.Context(), 0, uint64(len(whole)-1))
	if err != nil || got != proven {
		t.Errorf("proven %t, error %v, want %t", got, err, proven)
	}
}

// TestAbsence_Blooms reads chains whose bloom filters do not cover all logs, or none. Only a
// filter of a proved header that has bits excludes a block.
func TestAbsence_Blooms(t *testing.T) {
	t.Parallel()
	zero := "0x" + strings.Repeat("00", 256)
	other := func(shape chaintest.Shape) chaintest.Shape { shape.OtherHash = true; return shape }
	bloom := func(value any) chaintest.Fault {
		return chaintest.Edit(func(h map[string]any) { h["logsBloom"] = value })
	}
	for name, test := range map[string]struct {
		shape  chaintest.Shape
		fault  *chaintest.Fault // of headers
		proven bool
		// read is the number of blocks that Full reads, by receipts if their headers are proved.
		read int
	}{
		"filters":                         {chaintest.Shape{}, nil, true, 3},
		"filters all zero":                {chaintest.Shape{ZeroBlooms: true}, nil, true, 5},
		"empty from the start":            {chaintest.Shape{NoBloomsFrom: 1}, nil, true, 5},
		"empty from the middle":           {chaintest.Shape{NoBloomsFrom: 4}, nil, true, 4},
		"empty from an empty block":       {chaintest.Shape{NoBloomsFrom: 5}, nil, true, 4},
		"empty from the last block":       {chaintest.Shape{NoBloomsFrom: 8}, nil, true, 3},
		"other hash":                      {other(chaintest.Shape{}), nil, false, 9},
		"of the last transaction":         {other(chaintest.Shape{LastBloom: true}), nil, false, 9},
		"all zero, other hash":            {other(chaintest.Shape{ZeroBlooms: true}), nil, false, 9},
		"no roots, other fields":          {chaintest.Shape{NoRoots: true, ExtraFields: map[string]any{"l1BatchNumber": "0x1"}}, nil, false, 9},
		"forged zero filter":              {chaintest.Shape{}, new(bloom(zero)), false, 5},
		"forged filter of ones":           {chaintest.Shape{}, new(bloom("0x" + strings.Repeat("ff", 256))), false, 9},
		"forged empty filter":             {chaintest.Shape{}, new(bloom("0x")), false, 9},
		"filter null":                     {chaintest.Shape{}, new(bloom(nil)), false, 9},
		"filter of 255 bytes":             {chaintest.Shape{}, new(bloom(zero[:2+2*255])), false, 9},
		"filter of 257 bytes":             {chaintest.Shape{}, new(bloom(zero + "00")), false, 9},
		"filter is a number":              {chaintest.Shape{}, new(bloom(0)), false, 9},
		"no transactions in the header":   {chaintest.Shape{}, new(chaintest.Edit(func(h map[string]any) { delete(h, "transactions") })), true, 9},
		"transactions null in the header": {chaintest.Shape{}, new(chaintest.Edit(func(h map[string]any) { h["transactions"] = nil })), true, 9},
	} {
		t.Run(name, func(t *testing.T) {
			node := mixed(t, chaintest.NodeOptions{Shape: test.shape})
			if test.fault != nil {
				node.Break(0, *test.fault, chaintest.Method("eth_getBlockByNumber"))
			}
			o := lieOptions()
			o.AcceptUnprovable = true
			if _, _, err := dial(t, o, node.URL).Full(t.Context(), 0, 8); err != nil {
				t.Error(err)
			}
			read := node.Calls("eth_getLogs")
			if test.proven {
				read = node.Calls("eth_getBlockReceipts")
			}
			if read != test.read {
				t.Errorf("%d blocks were read, want %d", read, test.read)
			}
			checkReadings(t, node, test.proven)
		})
	}
}

// TestAbsence_ForgedAmongProved checks that a zeroed filter on a chain with proved headers is
// rejected.
func TestAbsence_ForgedAmongProved(t *testing.T) {
	t.Parallel()
	for _, bloom := range []string{"0x" + strings.Repeat("00", 256), "0x"} {
		node := mixed(t, chaintest.NodeOptions{})
		forged := chaintest.Edit(func(h map[string]any) { h["logsBloom"] = bloom })
		at := func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == 4 }
		checkRefused(t, node, lieOptions(), forged, at, rpcerror.ErrMismatch, readFull(0, 8))
	}
}

// TestAbsence_StateSync has mints only in state syncs: of a block with an swap, and
// of one without another transaction. The filter excludes them, the receipts root of the second
// is that of no receipts.
func TestAbsence_StateSync(t *testing.T) {
	t.Parallel()
	receipts := func(c chaintest.Call) bool {
		return c.Method == "eth_getBlockReceipts" || c.Method == "eth_getTransactionReceipt"
	}
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		when   func(chaintest.Call) bool
		caught bool
	}{
		"complete":                 {chaintest.Fault{}, func(chaintest.Call) bool { return false }, false},
		"not in ranges":            {chaintest.Empty(), byRange, true},
		"not in logs":              {chaintest.DropLog(-1), chaintest.Method("eth_getLogs"), true},
		"not in block receipts":    {chaintest.DropLog(-1), func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.To > 1 }, false},
		"no block receipts":        {chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"), false},
		"no receipts":              {chaintest.Fault{Code: -32601, Message: "Method not found"}, receipts, false},
		"neither logs nor a block": {chaintest.Fault{Code: -32000, Message: "no"}, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" || c.ByHash }, false},
	} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{StateSync: true}})
			node.MineEmpty(1)
			node.Mine([]evm.Log{swap(1)})
			node.Mine([][]evm.Log{}...)
			node.MineEmpty(1)
			node.Break(0, test.fault, test.when)
			checkReadings(t, node, false)
			o := lieOptions()
			o.Samples = 4
			c := dial(t, o, node.URL)
			mustRange(t, c, 1, 4)
			expect.Equal(t, "caught", test.caught, c.Health()[0].LeavesOut)
		})
	}
}

// TestAbsence_StateSyncHidden has a state sync that the block lists, but no method returns.
func TestAbsence_StateSyncHidden(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{StateSync: true}})
	node.Mine([]evm.Log{erc721(1)})
	node.Break(0, chaintest.DropLog(-1), chaintest.Method("eth_getLogs"))
	node.Break(0, chaintest.DropLog(-1), chaintest.Method("eth_getBlockReceipts"))
	checkRefused(t, node, lieOptions(), chaintest.Null(), chaintest.Method("eth_getTransactionReceipt"), rpcerror.ErrInconsistent, readFull(1, 1))
}

// TestAbsence_InventedTransaction lists a transaction in a block without receipts, as the root
// says: it is read, and the node's answer for it contradicts the root.
func TestAbsence_InventedTransaction(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(2)
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["transactions"] = []string{evm.Hash{1}.String()} }), chaintest.Method("eth_getBlockByNumber"))
	blocks, proven, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 1, 2)
	if err != nil || proven || len(onlyFull(blocks)) > 0 {
		t.Errorf("proven %t, error %v, %d blocks with logs", proven, err, len(onlyFull(blocks)))
	}
	if node.Calls("eth_getBlockReceipts") == 0 {
		t.Error("no receipts were read")
	}
}

// TestAbsence_EmptyAnswer reads ranges from a node whose answers to ranges are empty. Blocks
// with zero filters, or without a proof, show it.
func TestAbsence_EmptyAnswer(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]chaintest.Shape{
		"filters":                 {},
		"all zero":                {ZeroBlooms: true},
		"empty":                   {NoBloomsFrom: 1},
		"of the last transaction": {LastBloom: true, OtherHash: true},
		"all zero, other hash":    {ZeroBlooms: true, OtherHash: true},
	} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
			for i := range byte(40) {
				if i == 19 {
					// The sample.
					node.MineEmpty(1)
				} else if i < 6 {
					node.Mine([]evm.Log{swap(i)})
				} else {
					node.Mine([]evm.Log{erc721(i)}, []evm.Log{swap(i)})
				}
			}
			node.Break(0, chaintest.Empty(), byRange)
			c := dial(t, lieOptions(), node.URL)
			checkBlocks(t, node.Blocks(), mustRange(t, c, 0, 40))
			if !c.Health()[0].LeavesOut {
				t.Error("the endpoint is not marked")
			}
		})
	}
}
