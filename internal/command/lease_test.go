package command_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// standsBy is logged by a follower that waits while another process writes.
const standsBy = "waiting until another process has finished writing"

// TestServe_Standby checks that only one of two followers requests blocks from the node,
// and that it yields to commands that write.
func TestServe_Standby(t *testing.T) {
	skipShort(t, "waits for terms to end")
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
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

// follow starts a process that serves and follows a node. It returns the server, and a
// function that signals the process.
func follow(t *testing.T, node *chaintest.Node, db string) (s *server, signal func(syscall.Signal)) {
	t.Helper()
	s, process, _ := startProcess(t, func(*exec.Cmd) {}, "--rpc", node.URL, "--db", db, "--poll", "10ms")
	return s, func(sent syscall.Signal) {
		t.Helper()
		if sent == syscall.SIGSTOP {
			stop(t, process.Process)
		} else {
			expect.NoError(t, process.Process.Signal(sent))
		}
	}
}

// stop stops a process. Until all its threads stand still it may finish what it does, and begin something
// else. Only Linux has the files.
func stop(t *testing.T, process *os.Process) {
	t.Helper()
	expect.NoError(t, process.Signal(syscall.SIGSTOP))
	until(t, func() bool {
		states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", process.Pid))
		expect.NoError(t, err)
		return !slices.ContainsFunc(states, func(path string) bool {
			state, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(state), ") T ")
		})
	})
}

// TestServe_LeaderLost kills and stops the process that follows. Another one continues,
// and a process that comes back changes nothing.
func TestServe_LeaderLost(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for terms to end")
	storetest.Each(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		node.MineEmpty(100)
		first, toFirst := follow(t, node, db)
		until(t, func() bool { return first.headIs(t, 100) })
		second, toSecond := follow(t, node, db)
		until(t, func() bool { return strings.Contains(second.output.String(), standsBy) })
		goesOn := func(how string, f *server, head int) {
			t.Helper()
			node.MineEmpty(1)
			began := time.Now()
			until(t, func() bool { return f.headIs(t, head) })
			t.Logf("%s: the other stored a block after %s", how, time.Since(began).Round(100*time.Millisecond))
		}
		toFirst(syscall.SIGSTOP)
		goesOn("stopped", second, 101)
		toFirst(syscall.SIGCONT)
		until(t, func() bool { return strings.Contains(first.output.String(), "another process takes over writing") })
		toSecond(syscall.SIGKILL)
		goesOn("killed", first, 102)
	})
}
