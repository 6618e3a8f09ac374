package command_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// exported returns the records of a database, or those that flags of export select.
func exported(t *testing.T, db string, flags ...string) string {
	t.Helper()
	var all strings.Builder
	for _, kind := range []string{"mints", "burns"} {
		stdout, _ := mustRun(t, append([]string{"export", "--db", db, kind}, flags...)...)
		all.WriteString(stdout)
	}
	return all.String()
}

// TestSync_NodeCutsLogs syncs from a node that silently truncates responses. Whichever
// blocks are sampled, no record is missing at the end, and the next process knows that
// the node leaves logs out.
func TestSync_NodeCutsLogs(t *testing.T) {
	t.Parallel()
	skipShort(t, "syncs four times")
	node, o := generated(t, 640, 6)
	sync := func(db string) string {
		t.Helper()
		_, stderr := mustRun(t, "sync", "--once", "--receipts-depth", "0", "--header-depth", "300", "--rpc", node.URL, "--db", db)
		return stderr
	}
	honest := filepath.Join(t.TempDir(), "honest.db")
	sync(honest)
	want, db := exported(t, honest), ""
	node.Break(0, chaintest.CutLogs(10), chaintest.Method("eth_getLogs"))
	// The logs left out and the proved ranges differ from run to run.
	for i := range 4 {
		db = filepath.Join(t.TempDir(), fmt.Sprintf("cut%d.db", i))
		if stderr := sync(db); strings.Count(stderr, "leaves logs out") == 0 {
			t.Errorf("nothing was logged: %s", stderr)
		}
		if got := exported(t, db); got != want {
			t.Errorf("run %d: %d records, want %d", i, strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
	}
	o.Seed++
	node.Generate(o)
	asked := node.Calls("eth_getLogs")
	sync(db)
	if more := node.Calls("eth_getLogs") - asked; more > 0 {
		t.Errorf("the next process requested logs %d times", more)
	}
	node.ClearFaults()
	sync(honest)
	if exported(t, db) != exported(t, honest) {
		t.Error("the next process left records out")
	}
	s := serve(t, db)
	if got := s.Send(t, http.MethodGet, "/metrics", "").Body; !strings.Contains(got, `mintburn_endpoint_leaves_out_logs{endpoint="`+node.URL+`"} 1`) {
		t.Errorf("no metric: %.2000s", got)
	}
	endpoint := s.Get(t, "{ chain { endpoints { lastError } } }", "")["chain"].(map[string]any)["endpoints"].([]any)[0]
	if endpoint.(map[string]any)["lastError"] != "leaves out logs" {
		t.Errorf("endpoint %v", endpoint)
	}
}

// TestSync_NodeCutsLogsUnproved checks that sync fails if logs that it has trusted cannot
// be proved.
func TestSync_NodeCutsLogsUnproved(t *testing.T) {
	t.Parallel()
	skipShort(t, "has 1,280 blocks")
	node, _ := generated(t, 1280, 6)
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x1", "0x123" }), chaintest.Method("eth_getBlockByNumber"))
	// More calls than run at once, so that some ranges are already trusted.
	var calls atomic.Int64
	node.Break(0, chaintest.CutLogs(10), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && calls.Add(1) > 24 })
	fails(t, 1, "logs may be missing from block ", "sync", "--once", "--receipts-depth", "0", "--rpc", node.URL, "--db", filepath.Join(t.TempDir(), "x.db"))
}
