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

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestServe_FilesVanish deletes or replaces the files of a server that follows. The server must
// store nothing in files that have lost their names, and report it. It continues once they are
// back.
func TestServe_FilesVanish(t *testing.T) {
	skipShort(t, "starts a server ten times")
	t.Parallel()
	for name, c := range map[string]struct {
		// vanishing is the suffix of the file's name.
		vanishing string
		// replaced is true if another file takes its place.
		replaced bool
		// said is the beginning of the reason. SQLite creates an empty log for a connection that
		// is just being opened, so a deleted log may be reported as replaced.
		said string
	}{
		"the database":           {"", false, "the database file was deleted"},
		"the database, replaced": {"", true, "the database file was replaced"},
		"the write-ahead log":    {"-wal", false, "the write-ahead log of the database was "},
		"the log, replaced":      {"-wal", true, "the write-ahead log of the database was replaced"},
		"the index of the log":   {"-shm", false, "the index of the write-ahead log was deleted"},
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
			away := filepath.Join(folder, "away")
			expect.NoError(t, os.Link(db+c.vanishing, away))
			if c.replaced {
				// Next to a file that is empty or smaller than a page, SQLite deletes the
				// write-ahead log when the database is opened.
				other := filepath.Join(folder, "other")
				expect.NoError(t, os.WriteFile(other, make([]byte, 8192), 0o600))
				expect.NoError(t, os.Rename(other, db+c.vanishing))
			} else {
				expect.NoError(t, os.Remove(db+c.vanishing))
			}
			node.Generate(o)
			until(t, func() bool { return strings.Contains(s.output.String(), c.said) })
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusServiceUnavailable || !strings.HasPrefix(got.Body, "not ready: "+c.said) {
				t.Errorf("/readyz: status %d: %s", got.Status, got.Body)
			}
			if got := s.Send(t, http.MethodGet, "/healthz", ""); got.Status != http.StatusOK {
				t.Errorf("/healthz: status %d: %s", got.Status, got.Body)
			}
			// A query may fail because no connection is open.
			until(t, func() bool { return s.headIs(t, 60) })
			expect.NoError(t, os.Rename(away, db+c.vanishing))
			until(t, func() bool { return s.headIs(t, 120) })
			mustRun(t, "check", "--db", db)
		})
	}
}

// TestServe_LogDeleted permanently deletes a server's write-ahead log. When the server ends, it
// must write the contents of the log into the database, so that nothing is lost.
func TestServe_LogDeleted(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, o := generated(t, 60, 20)
	db := filepath.Join(t.TempDir(), "x.db")
	s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--db", db, "--rpc", node.URL, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 60) })
	before := exported(t, db)
	expect.NoError(t, errors.Join(os.Remove(db+"-wal"), os.Remove(db+"-shm")))
	if n := blocksLeft(t, db); n >= 60 {
		t.Errorf("the file contains all of %d blocks: the log was empty", n)
	}
	node.Generate(o)
	until(t, func() bool {
		return strings.Contains(s.output.String(), "the write-ahead log of the database was ")
	})
	expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v: %s", err, s.output)
	}
	expect.Equal(t, "records", before, exported(t, db))
	mustRun(t, "check", "--db", db)
}
