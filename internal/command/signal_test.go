package command_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// stopping runs a command. Calling stop ends the command's context with a signal.
// stopping returns the program's outputs and exit code.
func stopping(t *testing.T, number syscall.Signal, do func(stop func(), run func(args ...string))) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := func() { cancel(command.Signal{Signal: number}) }
	out, errs := &writes{then: stop}, &bytes.Buffer{}
	do(stop, func(args ...string) { code = command.Run(ctx, repository, args, nil, out, errs) })
	return out.String(), errs.String(), code
}

// writes is a buffer that calls a function after the first write.
type writes struct {
	bytes.Buffer
	then func()
}

func (w *writes) Write(p []byte) (int, error) {
	defer w.then()
	return w.Buffer.Write(p)
}

// TestExport_Stopped stops an export after its first page, and continues it with
// the command that it prints.
func TestExport_Stopped(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	whole, _, _ := run(t, nil, "export", "--db", db, "mints")
	first, said, code := stopping(t, syscall.SIGTERM, func(_ func(), run func(...string)) {
		run("export", "--db", db, "mints", "--format=ndjson")
	})
	if code != 143 || strings.Contains(said, "Exported") {
		t.Errorf("exit code %d, want 143: %s", code, said)
	}
	next := regexp.MustCompile(`^mintburn: interrupted by SIGTERM: wrote 1000 mints; to continue: mintburn (.*)\n$`).FindStringSubmatch(said)
	if next == nil {
		t.Fatalf("it printed %q", said)
	}
	rest, said, code := run(t, nil, strings.Fields(next[1])...)
	if code != 0 || first == "" || rest == "" || first+rest != whole {
		t.Errorf("exit code %d: the parts of %d and %d bytes differ from the full export of %d: %s", code, len(first), len(rest), len(whole), said)
	}
}

// stoppingNode returns a node of 200 blocks that calls stop after the number of
// requests in after.
func stoppingNode(t *testing.T) (node *chaintest.Node, stop *atomic.Pointer[func()], after *atomic.Int64) {
	stop, after = new(atomic.Pointer[func()]), new(atomic.Int64)
	node = chaintest.NewNode(t, chaintest.NodeOptions{Wait: func() {
		if after.Add(-1) == 0 {
			(*stop.Load())()
		}
	}})
	node.Generate(contents(200, 10))
	return node, stop, after
}

// TestStopped_Following stops commands that read from a node, after some requests.
func TestStopped_Following(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, stop, after := stoppingNode(t)
	db := filepath.Join(t.TempDir(), "followed.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	for _, c := range []struct {
		args     []string
		requests int64
		code     int
		said     string
	}{
		{[]string{"sync", "--once", "--db", fresh}, 5, 130, "interrupted by SIGINT: progress is saved; run the same command again to continue\n"},
		{[]string{"sync", "--to-block", "150", "--db", fresh}, 5, 130, "interrupted by SIGINT: progress is saved; run the same command again to continue\n"},
		{[]string{"sync", "--db", fresh}, 5, 0, "msg=stopped"},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--db", fresh}, 5, 0, "msg=stopped"},
		{[]string{"metadata", "--once", "--db", db}, 3, 130, "interrupted by SIGINT: progress is saved; run the same command again to continue\n"},
		{[]string{"metadata", "--db", db}, 3, 0, "msg=stopped"},
		{[]string{"verify", "--db", db}, 1, 130, "interrupted by SIGINT: "},
	} {
		_, said, code := stopping(t, syscall.SIGINT, func(do func(), run func(...string)) {
			stop.Store(&do)
			after.Store(c.requests)
			run(append(c.args, "--rpc", node.URL)...)
		})
		if code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, code, c.code, said)
		}
	}
}

// TestVerify_Stopped stops a verify, which prints how to continue, and continues it.
// Then all blocks are verified.
func TestVerify_Stopped(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node, stop, after := stoppingNode(t)
	db := filepath.Join(t.TempDir(), "verified.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	change(t, db, "DELETE FROM coverage WHERE kind = 'verified'")
	stdout, said, code := stopping(t, syscall.SIGTERM, func(do func(), run func(...string)) {
		stop.Store(&do)
		after.Store(100)
		run("verify", "--db", db, "--rpc", node.URL)
	})
	next := regexp.MustCompile(`^mintburn: interrupted by SIGTERM: 0 differences so far; to continue, run it again with --from-block (\d+)\n$`).FindStringSubmatch(said)
	if code != 143 || next == nil || next[1] == "0" || strings.Contains(stdout, "Verified") {
		t.Fatalf("exit code %d: %q, %q", code, stdout, said)
	}
	if stdout, said, code = run(t, nil, "verify", "--db", db, "--rpc", node.URL, "--from-block", next[1]); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, stdout, said)
	}
	verified := rows(t, open(t, db), "SELECT from_block, to_block FROM coverage WHERE kind = 'verified'")
	expect.Equal(t, "verified", []string{"from_block=0 to_block=200"}, verified)
}

// TestHangup sends SIGHUP to commands that must survive the end of their terminal, and
// checks that they continue to follow the chain.
func TestHangup(t *testing.T) {
	skipShort(t, "starts processes and waits for them")
	t.Parallel()
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"sync"}} {
		t.Run(args[0], func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			node := chaintest.NewNode(t, chaintest.NodeOptions{})
			node.MineEmpty(3)
			db := filepath.Join(t.TempDir(), "hangup.db")
			process := exec.CommandContext(ctx, "mintburn", append(args, "--db", db, "--rpc", node.URL, "--poll", "500ms")...)
			var said bytes.Buffer
			process.Stderr = &said
			expect.NoError(t, process.Start())
			waitForBlocks(t, db, 3)
			expect.NoError(t, process.Process.Signal(syscall.SIGHUP))
			node.MineEmpty(3)
			waitForBlocks(t, db, 6)
			expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
			if err := process.Wait(); err != nil {
				t.Errorf("%v: %s", err, said.String())
			}
		})
	}
}
