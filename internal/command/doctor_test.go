package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// doctor runs doctor and returns its lines. The exit code must be 1 if there is a fault, else 0.
func doctor(t *testing.T, args ...string) string {
	t.Helper()
	text, stderr, code := run(t, nil, append([]string{"doctor"}, args...)...)
	if want := strings.Contains("\n"+text, "\nfault "); (code == 1) != want || code > 1 || strings.Contains(text, "SECRET") {
		t.Errorf("%v: exit code %d: %s%s", args, code, text, stderr)
	}
	for line := range strings.Lines(text) {
		if fault := strings.HasPrefix(line, "fault "); !fault && !strings.HasPrefix(line, "ok ") || fault != strings.Contains(line, "; cure: ") {
			t.Errorf("line %q", line)
		}
	}
	return text
}

// faulty reports whether doctor found a fault, other than that the disk of this machine is full.
func faulty(report string) bool {
	return strings.Contains(strings.ReplaceAll(report, "fault disk: ", ""), "fault ")
}

// TestDoctor runs doctor beside a server and after it was killed. It changes no byte of a SQLite
// database and its folder, and on PostgreSQL it needs a role that may only read.
func TestDoctor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{URI: "ipfs://x"})
		node.Generate(contents(200, 5))
		args := []string{"--rpc", node.URL, "--from-block", "1", "--max-lag", "1000000h"}
		s, process, ended := startProcess(t, func(*exec.Cmd) {}, append(args, "--db", db, "--poll", "10ms")...)
		until(t, func() bool { return s.headIs(t, 200) })
		running := doctor(t, append(args, "--db", db)...)
		for _, want := range []string{"ok configuration: ", "ok database: it opens: ", "ok database: it has schema version ", "it serves chain 31337", "is the last final block of the database", "ok clock: ", "ok open files: "} {
			if !strings.Contains(running, want) {
				t.Errorf("no %q in:\n%s", want, running)
			}
		}
		if faulty(running) {
			t.Error(running)
		}
		expect.NoError(t, process.Process.Signal(syscall.SIGKILL))
		<-ended
		before := folderOf(t, db)
		if got := doctor(t, append(args, "--db", db)...); faulty(got) {
			t.Error(got)
		}
		expect.Equal(t, "files", before, folderOf(t, db))
		node.SetChainID(5)
		if got := doctor(t, append(args, "--db", db)...); !strings.Contains(got, "it serves chain 5, the database contains chain 31337; cure: ") {
			t.Error(got)
		}
		if before == nil {
			got := doctor(t, "--db", readerOf(t, db))
			if faulty(got) || !strings.Contains(got, "the role may read its tables") {
				t.Error(got)
			}
		}
	})
}

// TestDoctor_Configuration checks that doctor reads flags, variables and file as serve does, and
// names what is wrong with them.
func TestDoctor_Configuration(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	db := importDemo(t)
	good := write("good.toml", "[serve]\ndb = \""+db+"\"\nrpc = [\"http://127.0.0.1:1/SECRET\"]\n")
	for name, c := range map[string]struct {
		variable, value string
		args            []string
		want            string
	}{
		"a file":              {args: []string{"--config", good}, want: "fault node http://127.0.0.1:1/…: eth_chainId: "},
		"an unknown key":      {args: []string{"--config", write("typo.toml", "[serve]\nlisen = \"SECRET\"\n")}, want: "line 2: mintburn serve has no flag lisen: did you mean listen?; cure: "},
		"no file":             {args: []string{"--config", filepath.Join(folder, "none")}, want: "fault configuration: --config: "},
		"a wrong value":       {args: []string{"--db", db, "--max-page-size", "0"}, want: "fault configuration: --max-page-size: got 0, want 1 to 10000; cure: "},
		"a conflict":          {args: []string{"--db", db, "--tls-cert", good}, want: "fault configuration: --tls-cert, --tls-key: got one of them, want both or none; cure: "},
		"an unknown flag":     {args: []string{"--bogus"}, want: "fault configuration: unknown flag --bogus; cure: "},
		"serve's variable":    {variable: "SERVE_DB", value: db, want: "ok database: it opens: SQLite, "},
		"an unknown variable": {variable: "BOGUS", value: "SECRET", args: []string{"--db", db}, want: "fault configuration: no command reads the variable MINTBURN_BOGUS; cure: "},
		"an ignored variable": {variable: "FROM_BLOCK", value: "7", args: []string{"--db", db}, want: "MINTBURN_FROM_BLOCK, whose meaning differs by command; cure: name it MINTBURN_SERVE_FROM_BLOCK"},
		"a bad file of keys":  {args: []string{"--db", db, "--api-keys", good}, want: "fault configuration: --api-keys: "},
		"no database":         {args: []string{"--db", filepath.Join(folder, "none.db")}, want: "fault database: no database at "},
		"a new database":      {args: []string{"--db", filepath.Join(folder, "none.db"), "--rpc", "http://127.0.0.1:1"}, want: "ok database: there is none yet"},
		"a lost database":     {args: []string{"--db", "postgres://u:SECRET@127.0.0.1:1/d"}, want: "connection refused at 127.0.0.1:1 (user u, database d); cure: check the address, and whether PostgreSQL runs"},
		"many connections":    {args: []string{"--db", db, "--max-connections", "1073741824"}, want: "fault open files: the limit is "},
	} {
		t.Run(name, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv("MINTBURN_"+c.variable, c.value)
			}
			before := folderOf(t, filepath.Join(folder, "x"))
			if got := doctor(t, c.args...); !strings.Contains(got, c.want) {
				t.Errorf("got\n%swant %s", got, c.want)
			}
			expect.Equal(t, "files", before, folderOf(t, filepath.Join(folder, "x")))
		})
	}
}
