package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestProven_NotProvable checks that a header that is not provable is accepted if two
// endpoints agree or AcceptUnprovable is set, and never from one endpoint alone.
func TestProven_NotProvable(t *testing.T) {
	t.Parallel()
	ethermint := func() *chaintest.Node {
		return filled(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}}, 5)
	}
	tempo := func() *chaintest.Node {
		return filled(t, chaintest.NodeOptions{Shape: chaintest.Shape{ExtraFields: map[string]any{"timestampMillis": "0x1"}}}, 5)
	}
	honest := func() *chaintest.Node { return filled(t, chaintest.NodeOptions{}, 5) }
	liar := func() *chaintest.Node {
		n := honest()
		n.Break(0, chaintest.Edit(func(h map[string]any) { h["gasUsed"] = "0x7" }), chaintest.Method("eth_getBlockByNumber"))
		return n
	}
	for name, test := range map[string]struct {
		nodes    []*chaintest.Node
		operator bool
		want     error
		told     []string
	}{
		"one, other hash":               {[]*chaintest.Node{ethermint()}, false, rpcerror.ErrMismatch, nil},
		"two, other hash":               {[]*chaintest.Node{ethermint(), ethermint()}, false, rpcerror.ErrNotProvable, []string{"3 " + settings.ReasonHash}},
		"one, by the operator":          {[]*chaintest.Node{ethermint()}, true, rpcerror.ErrNotProvable, []string{"3 " + settings.ReasonHash}},
		"one, more fields":              {[]*chaintest.Node{tempo()}, false, rpcerror.ErrNotProvable, nil},
		"two, more fields":              {[]*chaintest.Node{tempo(), tempo()}, false, rpcerror.ErrNotProvable, []string{"3 " + settings.ReasonFields}},
		"a liar":                        {[]*chaintest.Node{liar()}, false, rpcerror.ErrMismatch, nil},
		"a liar before an honest one":   {[]*chaintest.Node{liar(), honest()}, false, nil, nil},
		"an honest one before a liar":   {[]*chaintest.Node{honest(), liar()}, false, nil, nil},
		"an honest one by the operator": {[]*chaintest.Node{honest()}, true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, told := lieOptions(), []string(nil)
			o.AcceptUnprovable = test.operator
			o.OnUnprovable = func(_ context.Context, r evm.Range, reason string) error {
				told = append(told, fmt.Sprint(r.From, " ", reason))
				return nil
			}
			var urls []string
			for _, n := range test.nodes {
				urls = append(urls, n.URL)
			}
			c := dial(t, o, urls...)
			for range 2 {
				if _, err := c.Proven(t.Context(), 3); !errors.Is(err, test.want) {
					t.Errorf("got the error %v, want %v", err, test.want)
				}
			}
			expect.Equal(t, "told", test.told, told)
		})
	}
}

// TestFull_UnprovableAmongProvable has a header that is not provable, on a chain of which a
// block was proved. It is rejected from one endpoint, and accepted from two that agree.
func TestFull_UnprovableAmongProvable(t *testing.T) {
	t.Parallel()
	changed := func() *chaintest.Node {
		n := filled(t, chaintest.NodeOptions{}, 5)
		n.Break(0, chaintest.Edit(func(h map[string]any) { h["sendCount"], h["gasUsed"] = "0x7", "0x7" }), func(c chaintest.Call) bool {
			return c.Method == "eth_getBlockByNumber" && c.To == 4
		})
		return n
	}
	for name, test := range map[string]struct {
		urls     []string
		proved   bool
		operator bool
		want     error
	}{
		"one, nothing proved":  {[]string{changed().URL}, false, false, nil},
		"one, proved before":   {[]string{changed().URL}, true, false, rpcerror.ErrMismatch},
		"one, by the operator": {[]string{changed().URL}, true, true, nil},
		"two, proved before":   {[]string{changed().URL, changed().URL}, true, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := lieOptions()
			o.Proved, o.AcceptUnprovable = test.proved, test.operator
			_, proven, err := dial(t, o, test.urls...).Full(t.Context(), 4, 4)
			if !errors.Is(err, test.want) || proven {
				t.Errorf("proven %t, error %v, want %v", proven, err, test.want)
			}
		})
	}
	o := lieOptions()
	o.AcceptUnprovable = true
	node := changed()
	if blocks, proven, err := dial(t, o, node.URL).Full(t.Context(), 1, 5); err != nil || proven {
		t.Errorf("among others, by the operator: proven %t, error %v", proven, err)
	} else {
		checkBlocks(t, node.Blocks()[1:], onlyFull(blocks))
	}
	// The blocks before or after it show that the chain is provable.
	for _, r := range []evm.Range{{From: 1, To: 4}, {From: 4, To: 5}} {
		if _, _, err := dial(t, lieOptions(), changed().URL).Full(t.Context(), r.From, r.To); !errors.Is(err, rpcerror.ErrMismatch) {
			t.Errorf("among provable blocks, %v: got %v, want %v", r, err, rpcerror.ErrMismatch)
		}
	}
}

// TestFull_KnownNotProvable checks that accepting a block without a proof does not extend
// to its neighbours.
func TestFull_KnownNotProvable(t *testing.T) {
	t.Parallel()
	changed := func(from, to uint64) string {
		n := filled(t, chaintest.NodeOptions{}, 5)
		n.Break(0, chaintest.Edit(func(h map[string]any) { h["gasUsed"] = "0x7" }), func(c chaintest.Call) bool {
			return c.Method == "eth_getBlockByNumber" && from <= c.To && c.To <= to
		})
		return n.URL
	}
	o := lieOptions()
	o.Proved = true
	for _, beside := range []uint64{2, 4} {
		// Both agree on block 3 alone.
		c := dial(t, o, changed(2, 4), changed(3, 3))
		for _, number := range []uint64{3, beside} {
			if _, proven, err := c.Full(t.Context(), number, number); err != nil || proven != (number != 3) {
				t.Errorf("block %d: proven %t, error %v", number, proven, err)
			}
		}
	}
}
