package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// TestVerify_ForeignText checks that verify prints a node's words without control and
// bidirectional characters, and without the key in the node's URL.
func TestVerify_ForeignText(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Generate(contents(20, 6))
	db := filepath.Join(t.TempDir(), "test.db")
	mustRun(t, "sync", "--once", "--db", db, "--rpc", node.URL)
	node.Break(0, chaintest.Fault{Code: 4444, Message: "\x1b]0;owned\x07\u202epruned\u009b history of SECRETKEY"}, func(c chaintest.Call) bool {
		return strings.HasSuffix(c.Method, "Receipts") || c.Method == "eth_getTransactionReceipt"
	})
	stdout, stderr, code := run(t, nil, "verify", "--db", db, "--rpc", node.URL+"/SECRETKEY")
	if all := stdout + stderr; code != 1 || !strings.Contains(stdout, "]0;owned") || strings.ContainsAny(all, "\x1b\x07\u009b\u202e") || strings.Contains(all, "SECRET") {
		t.Errorf("exit code %d: %q %q", code, stdout, stderr)
	}
}
