package command_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/command/flags"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestChains follows a chain into a SQLite file and another into a schema of PostgreSQL, with one
// configuration file, and reads both.
func TestChains(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts PostgreSQL")
	folder := t.TempDir()
	config := filepath.Join(folder, "mintburn.toml")
	server := pgtest.NewServer(t).DSN
	change(t, server, "CREATE SCHEMA base")
	schema, err := url.Parse(server)
	expect.NoError(t, err)
	query := schema.Query()
	query.Set("search_path", "base")
	schema.RawQuery = query.Encode()
	first, o := generated(t, 100, 20)
	second := chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 5})
	second.Generate(contents(50, 10))
	expect.NoError(t, os.WriteFile(config, []byte(`
log-format = "json"
[chains.eth]
db = "`+filepath.Join(folder, "eth.db")+`"
rpc = ["`+first.URL+`"]
from-block = 1
[chains.base]
db = "`+schema.String()+`"
rpc = ["`+second.URL+`"]
from-block = 1
`), 0o600))
	fails(t, 2, "missing --chain: want one of eth, base", "sync", "--once", "--config", config)
	for _, name := range []string{"eth", "base"} {
		mustRun(t, "sync", "--once", "--config", config, "--chain", name)
	}
	alone := filepath.Join(folder, "alone.db")
	mustRun(t, "sync", "--once", "--db", alone, "--rpc", second.URL, "--from-block", "1")
	for _, c := range [][2]string{{"eth", filepath.Join(folder, "eth.db")}, {"base", alone}} {
		got, _ := mustRun(t, "export", "mints", "--config", config, "--chain", c[0])
		want, _ := mustRun(t, "export", "mints", "--db", c[1])
		expect.Equal(t, "mints of "+c[0], want, got)
		if want == "" {
			t.Errorf("no mints of %d records", o.Records)
		}
	}
	t.Run("status", func(t *testing.T) {
		const wrong = "mintburn: eth: no process follows the chain: run mintburn serve --rpc or mintburn sync; base: no process follows"
		stdout, stderr, code := run(t, nil, "status", "--config", config)
		if code != 1 || !strings.HasPrefix(stderr, wrong) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		var names []string
		for line := range strings.Lines(stdout) {
			name, _, _ := strings.Cut(line, " ")
			names = append(names, name)
		}
		if names = slices.Compact(names); !slices.Equal(names, []string{"eth", "base"}) || strings.Count(stdout, "head ") != 2 {
			t.Errorf("lines of %q:\n%s", names, stdout)
		}
		stdout, _, _ = run(t, nil, "status", "--config", config, "--json")
		var reports map[string]struct {
			ID   int `json:"chain_id"`
			Head int `json:"head_block"`
		}
		expect.NoError(t, json.Unmarshal([]byte(stdout), &reports))
		if len(reports) != 2 || reports["eth"].ID != 31337 || reports["eth"].Head != 100 || reports["base"].ID != 5 || reports["base"].Head != 50 {
			t.Errorf("got %+v", reports)
		}
		stdout, stderr, code = run(t, nil, "status", "--chain", "none="+filepath.Join(folder, "none.db"), "--chain", "alone="+alone)
		if code != 1 || !strings.HasPrefix(stderr, "mintburn: none: no database at ") || !strings.Contains(stderr, "; alone: no process follows") || !strings.HasPrefix(stdout, "alone  database ") {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	})
	t.Run("doctor", func(t *testing.T) {
		text := doctor(t, "--config", config, "--max-lag", "1000000h")
		for _, want := range []string{"ok program: ", "ok configuration: ", "ok eth database: it opens: SQLite, ", "ok base database: it opens: PostgreSQL, ", "ok eth node " + first.URL + ": it serves chain 31337", "ok base node " + second.URL + ": it serves chain 5", "ok open files: "} {
			if strings.Count(text, "\n"+want) != 1 && !strings.HasPrefix(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		second.SetChainID(6)
		if text = doctor(t, "--config", config, "--chain", "base"); !strings.Contains(text, "\nfault base node "+second.URL+": it serves chain 6, the database contains chain 5; cure: ") || strings.Contains(text, "eth") {
			t.Error(text)
		}
		second.SetChainID(5)
		if text = doctor(t, "--config", config, "--rpc", "http://x"); !strings.Contains(text, "fault configuration: --rpc: got \"http://x\" beside chains: ") {
			t.Error(text)
		}
	})
}

// TestConfigCheck_Chains checks that the printed flags of chains are a configuration file without
// secrets that says the same.
func TestConfigCheck_Chains(t *testing.T) {
	config := filepath.Join(t.TempDir(), "mintburn.toml")
	expect.NoError(t, os.WriteFile(config, []byte("poll = \"2s\"\n[chains.eth]\ndb = \"eth.db\"\nrpc = \"http://127.0.0.1:1/SECRET\"\nfrom-block = 0x10\n[chains.base]\ndb = \"postgres://u:SECRET@h/base\"\ncontract = []\npoll = \"4s\"\nproof-rpc = \"http://127.0.0.1:1/SECRET\"\n"), 0o600))
	t.Setenv(flags.Variable("db"), "image.db")
	const want = `
[chains.eth]
db = "eth.db" # line 3
rpc = "http://127.0.0.1:1/hidden" # line 4
from-block = 16 # line 5
[chains.base]
db = "postgres://hidden@h/base" # line 7
proof-rpc = "http://127.0.0.1:1/hidden" # line 10
contract = [] # line 8
poll = "4s" # line 9
`
	stdout, _ := mustRun(t, "config", "check", config)
	if !strings.HasSuffix(stdout, want) || strings.Contains(stdout, "image.db") || !strings.Contains(stdout, "\npoll = \"2s\" # line 1\n") {
		t.Errorf("got %s", stdout)
	}
	expect.NoError(t, os.WriteFile(config, []byte(stdout), 0o600))
	again, _ := mustRun(t, "config", "check", config)
	source := regexp.MustCompile(`# (default|line \d+)`)
	expect.Equal(t, "the same flags", source.ReplaceAllString(stdout, ""), source.ReplaceAllString(again, ""))
	// The range of an export is no chain's.
	stdout, _ = mustRun(t, "config", "check", config, "export")
	if !strings.Contains(stdout, "\n[chains.eth]\ndb = \"eth.db\"") || strings.Contains(stdout, "from-block") {
		t.Errorf("got %s", stdout)
	}
}
