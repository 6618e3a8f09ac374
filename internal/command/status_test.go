package command_test

import (
	"database/sql"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// folderOf returns the contents of the files in a database's folder, nil for PostgreSQL.
func folderOf(t *testing.T, db string) map[string]string {
	t.Helper()
	if strings.Contains(db, "://") {
		return nil
	}
	found := map[string]string{}
	expect.NoError(t, filepath.WalkDir(filepath.Dir(db), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}

// TestStatus checks what status shows and its exit code: beside a server that follows, for
// one that lags, and after its end, by SIGKILL and otherwise. It changes no file.
func TestStatus(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for terms to end")
	storetest.Each(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		node.Generate(contents(100, 20))
		s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--rpc", node.URL, "--db", db, "--poll", "10ms", "--from-block", "1")
		awaitMetric(t, s, "mintburn_endpoint_up")
		until(t, func() bool { return s.headIs(t, 100) })
		status := func(want int, args ...string) (stdout, stderr string) {
			t.Helper()
			stdout, stderr, code := run(t, nil, append([]string{"status", "--db", db}, args...)...)
			if code != want {
				t.Errorf("status %v: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
			}
			return stdout, stderr
		}
		text, _ := status(0)
		for _, want := range []string{"schema version ", "\nhead ", "block 100 of ", ", 0 blocks below the nodes\n", "serve on ", ", since 20", node.URL + ": in use, block 100, "} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		text, _ = status(0, "--json")
		var got struct {
			HeadBlock int  `json:"head_block"`
			Following bool `json:"following"`
			Problem   string
			Nodes     []struct{ URL string }
			Database  struct{ Mints json.Number }
		}
		expect.NoError(t, json.Unmarshal([]byte(text), &got))
		if got.HeadBlock != 100 || !got.Following || got.Problem != "" || len(got.Nodes) != 1 || got.Nodes[0].URL != node.URL || got.Database.Mints == "0" {
			t.Errorf("%s", text)
		}
		if _, said := status(1, "--max-lag", "1s"); !strings.Contains(said, "the last indexed block is older than 1s") {
			t.Error(said)
		}
		expect.NoError(t, process.Process.Signal(syscall.SIGKILL))
		<-ended
		until(t, func() bool { _, _, code := run(t, nil, "status", "--db", db); return code == 1 })
		before := folderOf(t, db)
		text, said := status(1)
		if !strings.Contains(text, "\nfollower   none\n") || !strings.Contains(said, "no process follows the chain") {
			t.Errorf("%s%s", text, said)
		}
		expect.Equal(t, "files after a kill", before, folderOf(t, db))
	})
}

// TestStatus_Lags checks that status fails while the nodes are far ahead of the indexed blocks.
func TestStatus_Lags(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(83)
	db := filepath.Join(t.TempDir(), "x.db")
	s := start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "10ms")
	until(t, func() bool { return s.headIs(t, 83) })
	node.Break(0, chaintest.Fault{Status: http.StatusServiceUnavailable}, func(c chaintest.Call) bool {
		return c.Method == "eth_getBlockByNumber" && c.To > 83 && c.To < 101
	})
	node.MineEmpty(18)
	awaitMetric(t, s, "mintburn_endpoint_head_block{.*} 101")
	_, stderr, code := run(t, nil, "status", "--db", db)
	expect.Equal(t, "exit code and error", "1 mintburn: the last indexed block is 18 blocks below the head of the nodes\n", string(rune('0'+code))+" "+stderr)
}

// TestStatus_Reads checks that status changes no file of a closed database and creates none,
// and that a role that may only read can run it.
func TestStatus_Reads(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	db := importDemo(t)
	before := folderOf(t, db)
	text, _, _ := run(t, nil, "status", "--db", db)
	if !strings.Contains(text, " mints, ") {
		t.Error(text)
	}
	expect.Equal(t, "files", before, folderOf(t, db))
	fails(t, 1, "no database at ", "status", "--db", filepath.Join(filepath.Dir(db), "none.db"))
	expect.Equal(t, "files", before, folderOf(t, db))
	reader := readerOf(t, storetest.Postgres(t))
	fails(t, 1, "no process follows the chain", "status", "--db", reader)
}

// TestStatus_Hole checks that status and the metrics count the records of a database in which
// blocks are missing.
func TestStatus_Hole(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	db := filepath.Join(t.TempDir(), "x.db")
	hash := func(digit string) string { return "0x" + strings.Repeat(digit, 64) }
	for _, number := range []string{"1", "7"} {
		importInto(t, db, strings.NewReader(`{"block":{"number":"0x`+number+`","hash":"`+hash(number)+`","parentHash":"`+hash("a")+`","timestamp":"0x64"},"logs":[]}`), "-")
	}
	if text, _, _ := run(t, nil, "status", "--db", db); !strings.Contains(text, " 0 mints, 0 burns, ") {
		t.Error(text)
	}
	metrics := serve(t, db).Send(t, http.MethodGet, "/metrics", "").Body
	for _, want := range []string{"\nmintburn_database_up 1\n", `mintburn_records{kind="burn"} 0`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestDocs_Status checks that docs/observe.md lists the fields of status --json.
func TestDocs_Status(t *testing.T) {
	t.Parallel()
	text, _, _ := run(t, nil, "status", "--json", "--db", importDemo(t))
	var object map[string]any
	expect.NoError(t, json.Unmarshal([]byte(text), &object))
	var names []string
	for name, value := range object {
		names = append(names, name)
		if within, ok := value.(map[string]any); ok {
			for field := range within {
				names = append(names, name+"."+field)
			}
		}
	}
	slices.Sort(names)
	expect.Equal(t, "fields", names, listed(t, section(t, "docs/observe.md", "Status"), "field"))
}

// readerOf returns the URL of a role that may only read the tables of a database.
func readerOf(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	expect.NoError(t, err)
	db, err := sql.Open("pgx", dsn)
	expect.NoError(t, err)
	defer db.Close()
	role := "reader_" + strings.TrimPrefix(u.Path, "/")
	_, err = db.ExecContext(t.Context(), "CREATE ROLE "+role+" LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
	expect.NoError(t, err)
	u.User = url.User(role)
	return u.String()
}
