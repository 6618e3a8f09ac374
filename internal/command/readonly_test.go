//go:build unix

package command_test

import (
	"database/sql"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// nobody is a user who may not write the files of the tests. Root may write everything.
const nobody = 65534

// asNobody returns a function that makes a process run as [nobody] if the tests run as root.
func asNobody(t *testing.T) func(*exec.Cmd) {
	return func(process *exec.Cmd) {
		if os.Getuid() != 0 {
			return
		}
		for _, folder := range []string{filepath.Dir(process.Path), filepath.Dir(filepath.Dir(process.Path))} {
			expect.NoError(t, os.Chmod(folder, 0o755))
		}
		process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// TestServe_ReadOnly serves files that the server may not write.
func TestServe_ReadOnly(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile(importChainA(t))
	expect.NoError(t, err)
	execute := func(t *testing.T, db, text string) *sql.DB {
		t.Helper()
		file, err := sql.Open("sqlite3", db)
		expect.NoError(t, err)
		if _, err := file.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, db string)
		folder  os.FileMode
		refused string
	}{
		"a writable folder":  {func(*testing.T, string) {}, 0o777, ""},
		"a read-only folder": {func(*testing.T, string) {}, 0o555, ""},
		"no write-ahead log": {func(t *testing.T, db string) {
			execute(t, db, "PRAGMA journal_mode = DELETE").Close()
		}, 0o555, ""},
		"another process writes": {func(t *testing.T, db string) {
			// The write-ahead log contains a collection's name until the connection is closed.
			open, err := write.Open(t.Context(), db, write.Options{})
			expect.NoError(t, err)
			t.Cleanup(func() { _ = open.Close() })
			expect.NoError(t, open.Settings().BindChain(t.Context(), 31337))
		}, 0o555, ""},
		"a leftover log": {func(t *testing.T, db string) {
			file := execute(t, db, "CREATE TABLE more (id int)")
			log, err := os.ReadFile(db + "-wal")
			if err == nil {
				err = file.Close()
			}
			if err == nil {
				err = os.WriteFile(db+"-wal", log, 0o444)
			}
			if err != nil || len(log) == 0 {
				t.Fatalf("%d bytes of log, %v", len(log), err)
			}
		}, 0o555, "its write-ahead log can't be read in a read-only folder"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, err := os.MkdirTemp("", "mintburn-read-only-")
			expect.NoError(t, err)
			t.Cleanup(func() {
				if err := errors.Join(os.Chmod(folder, 0o700), os.RemoveAll(folder)); err != nil {
					t.Error(err)
				}
			})
			db := filepath.Join(folder, "recorded.db")
			expect.NoError(t, os.WriteFile(db, recorded, 0o644))
			c.prepare(t, db)
			expect.NoError(t, errors.Join(os.Chmod(db, 0o444), os.Chmod(folder, c.folder)))
			s, _, _ := startProcess(t, asNobody(t), "--db", db)
			said := s.output.String()
			if c.refused != "" {
				if s.Base != "" || !strings.Contains(said, c.refused) || strings.Count(said, "\n") != 1 {
					t.Fatalf("it said %q, want %q", said, c.refused)
				}
				return
			}
			if s.Base == "" {
				t.Fatal(said)
			}
			if got := integer(t, s.Get(t, "{ mints(first: 1) { totalItems } }", ""), "mints", "totalItems"); got != 1080 {
				t.Errorf("%d mints, want 1080", got)
			}
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusOK {
				t.Errorf("/readyz: status %d: %s", got.Status, got.Body)
			}
			if name != "a folder that may not" {
				return
			}
			expect.NoError(t, errors.Join(os.Chmod(folder, 0o755), os.Chmod(db, 0o644)))
			defer execute(t, db, "CREATE TABLE more (id int)").Close()
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, "another process writes") {
				t.Errorf("a file that is written: status %d: %s", got.Status, got.Body)
			}
		})
	}
}

// TestServe_FileGone checks that a server whose file was deleted or replaced is not ready.
func TestServe_FileGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(db string) error
		said string
	}{
		"deleted":  {os.Remove, "not ready: the database file was deleted\n"},
		"replaced": {func(db string) error { return os.Rename(importChainA(t), db) }, "not ready: the database file was replaced\n"},
	} {
		t.Run(name, func(t *testing.T) {
			db := importChainA(t)
			s := serve(t, db)
			for _, step := range []struct {
				do     func(db string) error
				status int
				said   string
				up     string
			}{
				{func(string) error { return nil }, http.StatusOK, "ready\n", "\nmintburn_database_up 1\n"},
				{c.do, http.StatusServiceUnavailable, c.said, "\nmintburn_database_up 0\n"},
			} {
				expect.NoError(t, step.do(db))
				if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != step.status || got.Body != step.said {
					t.Errorf("status %d, %q: want %d, %q", got.Status, got.Body, step.status, step.said)
				}
				if got := s.Send(t, http.MethodGet, "/metrics", ""); !strings.Contains(got.Body, step.up) {
					t.Errorf("no line %q", step.up)
				}
			}
		})
	}
}
