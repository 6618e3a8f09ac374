package command_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestSync_Pruned syncs from a node that has pruned the blocks below 40. Everything that it has
// is stored, and the exit status says whether that is the whole range. A node with
// history then fills the gap, and the exported records equal those of a full sync.
func TestSync_Pruned(t *testing.T) {
	t.Parallel()
	skipShort(t, "syncs several times")
	const first = 40
	node, _ := generated(t, 160, 4)
	whole, _ := generated(t, 160, 4)
	node.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, func(c chaintest.Call) bool {
		return strings.HasPrefix(c.Method, "eth_get") && (c.Method == "eth_getLogs" && c.From < first || c.Method != "eth_getLogs" && c.To < first)
	})
	db, full := filepath.Join(t.TempDir(), "pruned.db"), filepath.Join(t.TempDir(), "full.db")
	mustRun(t, "sync", "--once", "--rpc", whole.URL, "--db", full)
	sync := func(url string, flags ...string) []string {
		return append([]string{"sync", "--once", "--rpc", url, "--db", db}, flags...)
	}
	_, stderr, code := run(t, nil, sync(node.URL)...)
	named := strings.Count(stderr, fmt.Sprintf("--from-block %d", first))
	if gap := fmt.Sprintf("from block 0 to %d (pruned)", first-1); code != 1 || named != 1 || !strings.Contains(stderr, gap) {
		t.Errorf("exit code %d, want 1, a line with %q and one with --from-block %d: %s", code, gap, first, stderr)
	}
	s := serve(t, db)
	from := fmt.Sprint(first)
	expect.Equal(t, "records", exported(t, full, "--from-block", from), exported(t, db, "--from-block", from))
	got := s.Get(t, "{ chain { gaps { fromBlock toBlock reason } endpoints { firstBlock lastError } } mints(first: 0) { totalItems } }", "")
	expect.Equal(t, "chain", map[string]any{
		"gaps":      []any{map[string]any{"fromBlock": json.Number("0"), "toBlock": json.Number(fmt.Sprint(first - 1)), "reason": "pruned"}},
		"endpoints": []any{map[string]any{"firstBlock": json.Number(fmt.Sprint(first)), "lastError": "pruned"}},
	}, got["chain"].(map[string]any))
	mustRun(t, sync(node.URL, "--from-block", from)...)
	mustRun(t, sync(whole.URL)...)
	expect.Equal(t, "records", exported(t, full), exported(t, db))
}
