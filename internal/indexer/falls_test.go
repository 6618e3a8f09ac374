package indexer_test

import (
	"errors"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestFollower_TimesFall checks that a chain whose block times fall is followed by ranges of
// logs, with and without times in the logs, and by full blocks. Only queries by time are
// rejected.
func TestFollower_TimesFall(t *testing.T) {
	for name, o := range map[string]chaintest.NodeOptions{"times": {Falls: 20}, "no times": {Falls: 20, NoTimes: true}, "blocks": {Falls: 20}} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, o)
			contents := chaintest.Default()
			contents.Blocks, contents.Records, contents.NoiseShare = 40, 6, 0
			node.Generate(contents)
			r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
			if name != "blocks" {
				r = asksForRanges(r, 1)
			}
			r.settleAt(t, node)
			snap := store.NewSnapshot(r.store.Snapshot())
			ask := func(f store.Filter) (items int, err error) {
				p, err := snap.Page(f, page.Args{})
				if err == nil {
					err = p.Read(t.Context(), nil)
				}
				if err == nil {
					items = p.Len()
				}
				return items, err
			}
			from := evm.Long(1)
			items, err := ask(store.Filter{FromBlock: &from})
			expect.NoError(t, err)
			if items == 0 {
				t.Error("nothing is indexed")
			}
			_, err = ask(store.Filter{FromTime: &from})
			if refused := new(apierror.Error); !errors.As(err, &refused) || refused.Code != apierror.BadUserInput || !strings.Contains(refused.Message, "block 20 is earlier than a block before it") {
				t.Errorf("error %v", err)
			}
			expect.NoError(t, snap.Close())
		})
	}
}
