package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
)

// TestServe_Spots: what a node left out before is found in the background, with no
// flag at all, and start says how much there is to do.
func TestServe_Spots(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	o := chaintest.Default()
	o.Blocks, o.Records = 1, 4
	node.MineEmpty(300)
	node.Generate(o)
	node.MineEmpty(300)
	node.Break(0, chaintest.DropLog(0), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.To-c.From > 50 })
	db := filepath.Join(t.TempDir(), "x.db")
	args := []string{"--receipts-depth", "0", "--rpc", node.URL, "--db", db}
	mustRun(t, append([]string{"sync", "--once"}, args...)...)
	before := strings.Count(exported(t, db), "\n")
	node.ClearFaults()
	s := start(t, append([]string{"serve", "--poll", "10ms"}, args...)...)
	until(t, func() bool { return strings.Contains(s.output.String(), "calls_at_most=") })
	until(t, func() bool {
		got := s.Get(t, "{ mints(first: 0) { totalItems } burns(first: 0) { totalItems } }", "")
		return integer(t, got, "mints", "totalItems")+integer(t, got, "burns", "totalItems") == 4
	})
	if before == 4 {
		t.Log("a sample had found it already")
	}
}
