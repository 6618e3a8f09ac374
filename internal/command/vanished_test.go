//go:build linux

package command_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/expect"
)

// TestServe_FilesVanish: a server that follows stores nothing in files that have lost their
// names, and says so. It goes on once they are back, or after it was started again.
func TestServe_FilesVanish(t *testing.T) {
	skipShort(t, "starts a server ten times")
	t.Parallel()
	for name, c := range map[string]struct {
		// vanishing is the end of the file's name, instead what is there afterwards.
		vanishing, instead string
		said               string
	}{
		"the database":           {"", "", "the database file was deleted"},
		"the database, replaced": {"", "x", "the database file was replaced"},
		"the write-ahead log":    {"-wal", "", "the write-ahead log of the database was deleted"},
		"the log, replaced":      {"-wal", "x", "the write-ahead log of the database was replaced"},
		"the index of the log":   {"-shm", "", "the index of the write-ahead log was deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := chaintest.NewNode(t, chaintest.NodeOptions{})
			o := contents(60, 20)
			node.Generate(o)
			folder := t.TempDir()
			db := filepath.Join(folder, "x.db")
			s := start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "10ms")
			until(t, func() bool { return s.headIs(t, 60) })
			away := filepath.Join(t.TempDir(), "away")
			expect.NoError(t, os.Rename(db+c.vanishing, away))
			if c.instead != "" {
				expect.NoError(t, os.WriteFile(db+c.vanishing, []byte(c.instead), 0o600))
			}
			node.Generate(o)
			until(t, func() bool { return strings.Contains(s.output.String(), c.said) })
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusServiceUnavailable || got.Body != "not ready: "+c.said+"\n" {
				t.Errorf("/readyz: status %d: %s", got.Status, got.Body)
			}
			if got := s.Send(t, http.MethodGet, "/healthz", ""); got.Status != http.StatusOK {
				t.Errorf("/healthz: status %d: %s", got.Status, got.Body)
			}
			// A query may find no connection that is open.
			until(t, func() bool { return s.headIs(t, 60) })
			expect.NoError(t, os.Rename(away, db+c.vanishing))
			until(t, func() bool { return s.headIs(t, 120) })
			mustRun(t, "check", "--db", db)
		})
	}
}

// TestServe_LogDeleted: a server whose write-ahead log was deleted for good writes what it holds
// into the database when it ends, so that nothing is lost.
func TestServe_LogDeleted(t *testing.T) {
	t.Parallel()
	node, o := generated(t, 60, 20)
	db := filepath.Join(t.TempDir(), "x.db")
	s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--db", db, "--rpc", node.URL, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 60) })
	before := exported(t, db)
	expect.NoError(t, errors.Join(os.Remove(db+"-wal"), os.Remove(db+"-shm")))
	if n := blocksLeft(t, db); n >= 60 {
		t.Errorf("the file has all of %d blocks: nothing was in the log", n)
	}
	node.Generate(o)
	until(t, func() bool {
		return strings.Contains(s.output.String(), "the write-ahead log of the database was deleted")
	})
	expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v: %s", err, s.output)
	}
	expect.Equal(t, "records", before, exported(t, db))
	mustRun(t, "check", "--db", db)
}
