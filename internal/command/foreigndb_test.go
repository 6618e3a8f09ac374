package command_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// edit runs statements on a database file of any program.
func edit(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	expect.NoError(t, err)
	defer db.Close()
	for _, statement := range statements {
		_, err := db.ExecContext(t.Context(), statement)
		expect.NoError(t, err)
	}
}

// TestForeignDatabase checks that no command changes the database of another program.
func TestForeignDatabase(t *testing.T) {
	t.Parallel()
	skipShort(t, "opens the database of another program with each command")
	node, _ := generated(t, 10, 2)
	folder := t.TempDir()
	live := filepath.Join(folder, "live.db")
	writing, err := sql.Open("sqlite3", "file:"+live)
	expect.NoError(t, err)
	defer writing.Close()
	writing.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode = WAL", "CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"} {
		_, err := writing.ExecContext(t.Context(), statement)
		expect.NoError(t, err)
	}
	for name, statements := range map[string][]string{
		"table":        {"CREATE TABLE users (x)"},
		"our name":     {"CREATE TABLE blocks (number integer)", "CREATE TABLE leases (id)"},
		"view":         {"CREATE VIEW v AS SELECT 1"},
		"ours by id":   {"PRAGMA application_id = 0x4d696e74", "CREATE TABLE users (x)"},
		"other by id":  {"PRAGMA application_id = 7", "CREATE TABLE t (x)"},
		"other schema": {"CREATE TABLE schema_version (installed_rank int, version text)"},
		"log":          nil,
	} {
		path := filepath.Join(folder, name+".db")
		if statements != nil {
			edit(t, path, statements...)
		} else {
			// As after a crash of the other program: its last commit is only in the log.
			for _, end := range []string{"", "-wal"} {
				text, err := os.ReadFile(live + end)
				expect.NoError(t, err)
				expect.NoError(t, os.WriteFile(path+end, text, 0o600))
			}
		}
		content := func() (all []byte) {
			for _, end := range []string{"", "-wal"} {
				// A missing file is empty.
				text, _ := os.ReadFile(path + end)
				all = append(append(all, '|'), text...)
			}
			return all
		}
		before := content()
		for _, args := range [][]string{
			{"import", chainA(t, "bundle.ndjson.gz")}, {"sync", "--once", "--rpc", node.URL}, {"serve", "--rpc", node.URL, "--listen", "127.0.0.1:0"}, {"migrate"}, {"migrate", "--dry-run"},
			{"serve", "--listen", "127.0.0.1:0"}, {"export", "mints"}, {"check", "--repair"}, {"backup", filepath.Join(folder, "copy.db")},
		} {
			fails(t, 1, path+": got a SQLite file of another program, want a new file or a database of this one\n", append(args, "--db", path)...)
		}
		if string(before) != string(content()) {
			t.Errorf("%s: the files changed", name)
		}
	}
}

// TestForeignDatabase_Ours checks that migrations mark a database as ours, and that databases
// without the mark open as before.
func TestForeignDatabase_Ours(t *testing.T) {
	t.Parallel()
	skipShort(t, "opens the database of another program with each command")
	db := storetest.Before(t)
	id := func(path string) string { return strings.Join(rows(t, open(t, path), "PRAGMA application_id"), "") }
	expect.Equal(t, "id", fmt.Sprint("application_id=", 0x4d696e74), id(db))
	edit(t, db, "PRAGMA application_id = 0")
	copied, empty := filepath.Join(t.TempDir(), "copy.db"), filepath.Join(t.TempDir(), "empty.db")
	mustRun(t, "backup", "--db", db, copied)
	expect.Equal(t, "id of the copy", "application_id=0", id(copied))
	mustRun(t, "check", "--db", copied)
	expect.Equal(t, "id after a migration", id(importChainA(t)), id(copied))
	expect.NoError(t, os.WriteFile(empty, nil, 0o600))
	importInto(t, empty, nil, chainA(t, "bundle.ndjson.gz"))
}

// TestAbandon checks that a failed command removes the file that it created and stored no
// block in, and no other file.
func TestAbandon(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, _ := generated(t, 10, 2)
	folder := t.TempDir()
	bad, half := filepath.Join(folder, "bad.ndjson"), filepath.Join(folder, "half.ndjson")
	expect.NoError(t, os.WriteFile(bad, []byte("{\n"), 0o600))
	expect.NoError(t, os.WriteFile(half, []byte(lines(t, chainA(t, "bundle.ndjson.gz"))[0]+"\n{\n"), 0o600))
	refusing := chaintest.NewNode(t, chaintest.NodeOptions{})
	refusing.Break(0, chaintest.Fault{Status: http.StatusForbidden}, func(chaintest.Call) bool { return true })
	for _, c := range []struct {
		want string
		kept bool
		args []string
	}{
		{"bad.ndjson:1: ", false, []string{"import", bad}},
		{"half.ndjson:2: ", true, []string{"import", half}},
		{"the files contain no block", false, []string{"import", "--final", os.DevNull}},
		{"--from-block: got 11, want at most 10, the head of the chain", false, []string{"sync", "--once", "--rpc", node.URL, "--from-block", "11"}},
		{"--from-block: got 500, want at most 10", false, []string{"sync", "--once", "--rpc", node.URL, "--from-block", "500", "--to-block", "600"}},
		{"403", false, []string{"sync", "--once", "--rpc", refusing.URL}},
	} {
		files := map[string]string{"new.db": "new.db", "link.db": "target.db", "empty.db": "empty.db", "old.db": "old.db"}
		place := t.TempDir()
		expect.NoError(t, os.Symlink("target.db", filepath.Join(place, "link.db")))
		expect.NoError(t, os.WriteFile(filepath.Join(place, "empty.db"), nil, 0o600))
		mustRun(t, "migrate", "--db", filepath.Join(place, "old.db"))
		for name, real := range files {
			fails(t, 1, c.want, append(c.args, "--db", filepath.Join(place, name))...)
			_, err := os.Stat(filepath.Join(place, real))
			if kept := c.kept || name == "empty.db" || name == "old.db"; kept != (err == nil) {
				t.Errorf("%v: %s: %v, want it kept: %t", c.args, name, err, kept)
			}
		}
		left, err := filepath.Glob(filepath.Join(place, "*-*"))
		expect.NoError(t, err)
		if len(left) > 0 {
			t.Errorf("%v left %v", c.args, left)
		}
	}
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--from-block", "10", "--db", filepath.Join(folder, "head.db"))
}
