package command_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/apitest"
	"mintburn/internal/chaintest"
	"mintburn/internal/expect"
)

// standsBy is in the log of a follower while another process writes.
const standsBy = "waiting until another process has finished writing"

// TestServe_Standby: of two followers one asks the node, and lets commands write.
func TestServe_Standby(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		node.MineEmpty(100)
		behind, err := url.Parse(node.URL)
		expect.NoError(t, err)
		var asked atomic.Int64
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			httputil.NewSingleHostReverseProxy(behind).ServeHTTP(w, r)
		}))
		t.Cleanup(proxy.Close)
		first := start(t, "serve", "--rpc", node.URL, "--db", db, "--poll", "10ms")
		until(t, func() bool { return first.headIs(t, 100) })
		second := start(t, "serve", "--rpc", proxy.URL, "--db", db, "--poll", "10ms")
		until(t, func() bool { return strings.Contains(second.output.String(), standsBy) })
		if !strings.Contains(second.output.String(), "holder=\"serve on ") {
			t.Errorf("the log does not name the other process: %s", second.output)
		}
		node.MineEmpty(1)
		until(t, func() bool { return second.headIs(t, 101) })
		expect.Equal(t, "calls of the one that waits", 0, int(asked.Load()))
		for s, want := range map[*server]string{first: "mintburn_writer 1", second: "mintburn_writer 0"} {
			if body := s.Send(t, http.MethodGet, "/metrics", "").Body; !strings.Contains(body, want) {
				t.Errorf("metrics lack %s", want)
			}
		}
		importInto(t, db, strings.NewReader(""), "-")
		if said := first.output.String(); !strings.Contains(said, "another process takes over writing") {
			t.Errorf("the follower did not let an import write: %s", said)
		}
		node.MineEmpty(1)
		until(t, func() bool { return second.headIs(t, 102) })
	})
}

// follower is a process of its own that serves and follows.
type follower struct {
	server
	process *exec.Cmd
}

// follow starts a process that follows a node until the end of the test.
func follow(t *testing.T, node *chaintest.Node, db string) *follower {
	t.Helper()
	f := &follower{server: server{output: &output{endpoint: make(chan string, 1)}}}
	f.process = exec.CommandContext(t.Context(), "mintburn", "serve", "--rpc", node.URL, "--db", db, "--poll", "10ms", "--listen", "127.0.0.1:0")
	f.process.Stdout, f.process.Stderr = f.output, f.output
	expect.NoError(t, f.process.Start())
	t.Cleanup(func() { _ = f.process.Wait() })
	f.Client = apitest.Client{Base: <-f.output.endpoint}
	return f
}

// signal sends a signal to the process.
func (f *follower) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	expect.NoError(t, f.process.Process.Signal(s))
}

// TestServe_LeaderLost kills and stops the process that follows: another one goes on,
// and one that comes back changes nothing.
func TestServe_LeaderLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for terms to end")
	}
	withBoth(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		node.MineEmpty(100)
		first := follow(t, node, db)
		until(t, func() bool { return first.headIs(t, 100) })
		second := follow(t, node, db)
		until(t, func() bool { return strings.Contains(second.output.String(), standsBy) })
		goesOn := func(how string, f *follower, head int) {
			t.Helper()
			node.MineEmpty(1)
			began := time.Now()
			until(t, func() bool { return f.headIs(t, head) })
			t.Logf("%s: the other stored a block after %s", how, time.Since(began).Round(100*time.Millisecond))
		}
		first.signal(t, syscall.SIGSTOP)
		goesOn("stopped", second, 101)
		first.signal(t, syscall.SIGCONT)
		until(t, func() bool { return strings.Contains(first.output.String(), "another process takes over writing") })
		second.signal(t, syscall.SIGKILL)
		goesOn("killed", first, 102)
	})
}
