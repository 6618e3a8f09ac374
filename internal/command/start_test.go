package command_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/testing/chaintest"
)

// TestStart_Temporary checks that a command that ends by itself repeats a temporary failure of
// its first calls.
func TestStart_Temporary(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for a node")
	node, _ := generated(t, 40, 4)
	db := filepath.Join(t.TempDir(), "x.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	try := func(fault chaintest.Fault, method string, args ...string) {
		t.Helper()
		node.Break(1, fault, chaintest.Method(method))
		if _, stderr, code := run(t, nil, append(args, "--rpc", node.URL, "--db", db)...); code != 0 {
			t.Errorf("%+v of %s, %v: exit code %d: %s", fault, method, args, code, stderr)
		}
		node.ClearFaults()
	}
	for _, fault := range []chaintest.Fault{{Status: http.StatusTooManyRequests}, {Status: http.StatusServiceUnavailable}, {Status: 520}, {Close: true}, {Truncate: true}} {
		try(fault, "eth_chainId", "sync", "--once")
	}
	for _, args := range [][]string{{"sync", "--once"}, {"verify"}, {"metadata", "--once", "--contract", "0x0000000000000000000000000000000000000001"}} {
		for _, method := range []string{"eth_chainId", "eth_getBlockByNumber"} {
			try(chaintest.Fault{Close: true}, method, args...)
		}
	}
}

// TestSync_NoAnswer checks that sync --once ends when its node rejects everything, or does not
// answer, and says why and how to continue.
func TestSync_NoAnswer(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for a node")
	node, _ := generated(t, 40, 4)
	for name, test := range map[string]struct {
		fault chaintest.Fault
		want  string
	}{
		"unavailable": {chaintest.Fault{Status: http.StatusServiceUnavailable}, "error 503"},
		"refused":     {chaintest.Fault{Code: -32000, Message: "that went wrong"}, "that went wrong"},
	} {
		var passed atomic.Int64
		now := func() time.Time { return time.Now().Add(time.Duration(passed.Add(int64(time.Second)))) }
		node.Break(0, test.fault, func(c chaintest.Call) bool { return c.Method != "eth_chainId" })
		var out, errs strings.Builder
		code := command.RunAt(t.Context(), repository, now, []string{"sync", "--once", "--rpc", node.URL, "--db", filepath.Join(t.TempDir(), "x.db")}, nil, &out, &errs)
		if text := errs.String(); code != 1 || !strings.Contains(text, test.want) || !strings.Contains(text, "run the same command again") {
			t.Errorf("%s: exit code %d: %s", name, code, text)
		}
		node.ClearFaults()
	}
}

// TestVerify_OtherBlooms checks that verify ends for a chain whose headers prove nothing, which
// sync stores whole.
func TestVerify_OtherBlooms(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for a node")
	node, _ := generated(t, 160, 4)
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["logsBloom"] = "0x" + strings.Repeat("ff", 256) }), chaintest.Method("eth_getBlockByNumber"))
	db := filepath.Join(t.TempDir(), "x.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	fails(t, 1, "proving block 0: proof failed: ", "verify", "--rpc", node.URL, "--db", db)
}
