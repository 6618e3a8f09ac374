package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/command/flags"
	"mintburn/internal/testing/expect"
)

// address returns an address that ends in n.
func address(n int) string { return fmt.Sprintf("0x%040x", n) }

// chainsOf parses arguments of serve, after a file if it has a text.
func chainsOf(t *testing.T, file string, args ...string) []*serveCommand {
	t.Helper()
	if args = append([]string{"serve"}, args...); file != "" {
		path := filepath.Join(t.TempDir(), "chains.toml")
		expect.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		args = append(args, "--config", path)
	}
	parse := parsingTo(io.Discard, io.Discard)
	parser, named, err := parse(flags.Chains{})
	expect.NoError(t, err)
	line, err := parser.Parse(args)
	expect.NoError(t, err)
	// The file is read once, so that all chains have the same state of it.
	if file != "" {
		expect.NoError(t, os.Remove(args[len(args)-1]))
	}
	chains, err := line.Selected().Target.Addr().Interface().(*serveCommand).chains(args, parse, named)
	expect.NoError(t, err)
	return chains
}

// TestChains_Precedence sets flags in tables of chains and in all other places, which the tables
// override.
func TestChains_Precedence(t *testing.T) {
	t.Setenv(flags.Variable("db"), "variable.db")
	t.Setenv(flags.Variable("poll"), "2s")
	t.Setenv(flags.Variable("serve", "audit"), "full")
	t.Setenv(flags.Variable("max-lag"), "2m")
	chains := chainsOf(t, `
poll = "1s"
audit = "spots"
max-lag = "1m"
burn-address = ["`+address(7)+`"]
[serve]
contract = ["`+address(1)+`", "`+address(2)+`"]
keep-versions = 9
[chains.own]
db = "own.db"
rpc = ["http://table.example"]
poll = "4s"
audit = "off"
max-lag = "4m"
contract = ["`+address(4)+`"]
burn-address = []
metadata = true
transactions = false
db-connections = 4
keep-versions = 4
explorer-url = "https://table.example"
to-block = 4
[chains.bare]
db = "bare.db"
`, "--max-lag", "3m", "--contract", address(3), "--no-metadata", "--transactions", "--db-connections", "3", "--max-page-size", "3")
	for i, want := range []string{
		"own own.db [http://table.example] 4s off 4m0s [" + address(4) + "] [] true false 4 4 https://table.example 4 3",
		"bare bare.db [] 2s full 3m0s [" + address(3) + "] [" + address(7) + "] false true 3 9  - 3",
	} {
		c, to := chains[i], "-"
		if c.ToBlock != nil {
			to = fmt.Sprint(*c.ToBlock)
		}
		got := fmt.Sprint(c.name, " ", c.DB, " ", c.RPC, " ", *c.Poll, " ", c.Audit, " ", c.MaxLag, " ", c.Contract, " ", c.BurnAddress, " ", c.Metadata, " ", *c.Transactions, " ",
			*c.DBConnections, " ", c.KeepVersions, " ", c.ExplorerURL, " ", to, " ", c.MaxPageSize)
		expect.Equal(t, c.name, want, got)
	}
	expect.Equal(t, "chains", 2, len(chains))
}

// TestChains_Selection names chains by arguments, variables and the file.
func TestChains_Selection(t *testing.T) {
	const file = "[chains.a]\ndb = \"a.db\"\nrpc = [\"http://a1\", \"http://a2\"]\n[chains.b]\ndb = \"b.db\"\n"
	for _, c := range []struct{ variable, file, args, want string }{
		{file: file, want: "a:a.db:[http://a1 http://a2] b:b.db:[]"},
		{want: ":mintburn.db:[]"},
		{args: "--db x.db --rpc http://x", want: ":x.db:[http://x]"},
		{args: "--db x.db --rpc http://x?name=x", want: ":x.db:[http://x?name=x]"},
		{file: file, args: "--chain b", want: "b:b.db:[]"},
		{file: file, args: "--chain b --chain a", want: "a:a.db:[http://a1 http://a2] b:b.db:[]"},
		{file: file, args: "--chain b=x.db", want: "a:a.db:[http://a1 http://a2] b:x.db:[]"},
		{file: file, args: "--chain c=c.db --rpc c=http://c --rpc b=http://b", want: "a:a.db:[http://a1 http://a2] b:b.db:[http://b] c:c.db:[http://c]"},
		{file: file, args: "--chain c=c.db --chain b", want: "b:b.db:[] c:c.db:[]"},
		{file: file, args: "--chain a --rpc a=http://x --rpc a=http://y", want: "a:a.db:[http://x http://y]"},
		{file: file, args: "--chain a --default-chain b", want: "a:a.db:[http://a1 http://a2]"},
		{args: "--chain d=postgres://u@h1,h2/d?x=y --chain c=c,d.db --rpc c=http://c/?k=v", want: "d:postgres://u@h1,h2/d?x=y:[] c:c,d.db:[http://c/?k=v]"},
		{variable: "b", file: file, want: "b:b.db:[]"},
		{variable: "b", file: file, args: "--chain a", want: "a:a.db:[http://a1 http://a2]"},
		{file: "chain = \"b\"\n" + file, want: "b:b.db:[]"},
		{file: "[sync]\nchain = \"b\"\n[serve]\nrpc = \"b=http://x\"\n" + file, want: "a:a.db:[http://a1 http://a2] b:b.db:[http://x]"},
		{file: "[chains.a]\ndb = \"a.db\"\nproof-rpc = [\"http://p1\", \"http://p2\"]\n[chains.b]\ndb = \"b.db\"\n", args: "--proof-rpc b=http://p", want: "a:a.db:[][http://p1 http://p2] b:b.db:[][http://p]"},
		{file: file, args: "--proof-rpc a=http://p --rpc a=http://x", want: "a:a.db:[http://x][http://p] b:b.db:[]"},
		{args: "--proof-rpc http://p --proof-rpc http://q", want: ":mintburn.db:[][http://p http://q]"},
	} {
		if c.variable != "" {
			t.Setenv(flags.Variable("chain"), c.variable)
		}
		var got []string
		for _, k := range chainsOf(t, c.file, strings.Fields(c.args)...) {
			text := fmt.Sprint(k.name, ":", k.DB, ":", k.RPC)
			if len(k.ProofRPC) > 0 {
				text += fmt.Sprint(k.ProofRPC)
			}
			got = append(got, text)
		}
		expect.Equal(t, c.args+c.variable, c.want, strings.Join(got, " "))
		expect.NoError(t, os.Unsetenv(flags.Variable("chain")))
	}
}

// TestChains_Commands gives other commands the flags of a chain that mean the same for them.
func TestChains_Commands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chains.toml")
	expect.NoError(t, os.WriteFile(path, []byte("[chains.a]\ndb = \"a.db\"\nrpc = \"http://a\"\nfrom-block = 7\ncontract = \""+address(7)+"\"\nrecheck = \"7h\"\nmax-lag = \"7m\"\nrange-cap = 7\n"), 0o600))
	parsed := func(args ...string) *commandLine {
		t.Helper()
		var line commandLine
		parser, err := newParser(&line, io.Discard, io.Discard)
		expect.NoError(t, err)
		_, err = parser.Parse(append(args, "--config", path, "--chain", "a"))
		expect.NoError(t, err)
		return &line
	}
	sync := parsed("sync", "--from-block", "1", "--contract", address(1)).Sync
	expect.Equal(t, "sync", "a.db [http://a] 7 ["+address(7)+"] 7h0m0s", fmt.Sprint(sync.DB, " ", sync.RPC, " ", sync.FromBlock, " ", sync.Contract, " ", sync.Recheck))
	// Its collections are those whose documents are fetched.
	metadata := parsed("metadata", "--contract", address(1)).Metadata
	expect.Equal(t, "metadata", "a.db [http://a] ["+address(1)+"] 7h0m0s", fmt.Sprint(metadata.DB, " ", metadata.RPC, " ", metadata.Contract, " ", metadata.Recheck))
	// Its blocks are a filter.
	export := parsed("export", "mints").Export
	expect.Equal(t, "export", "a.db <nil>", fmt.Sprint(export.DB, " ", export.FromBlock))
	verify := parsed("verify", "--range-cap", "1").Verify
	expect.Equal(t, "verify", "a.db [http://a] <nil> 7", fmt.Sprint(verify.DB, " ", verify.RPC, " ", verify.FromBlock, " ", verify.RangeCap))
	expect.Equal(t, "backup", "a.db", parsed("backup", "x.db").Backup.DB)
}

// TestDocs_ChainFlags checks that the documentation lists the flags that a chain may set.
func TestDocs_ChainFlags(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "scaling.md"))
	expect.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "\n### Flags of a chain\n")
	section, _, _ = strings.Cut(section, "\n#")
	var documented, want []string
	for _, row := range regexp.MustCompile(`(?m)^\|.*$`).FindAllString(section, -1) {
		for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row, -1) {
			documented = append(documented, name[1])
		}
	}
	for _, command := range model(t).Children {
		for _, flag := range command.Flags {
			if command.Name == "serve" && flag.Tag.Has("chain") {
				want = append(want, flag.Name)
			}
		}
	}
	_, taken, _ := strings.Cut(string(text), "The names ")
	taken, _, _ = strings.Cut(taken, " are taken")
	for _, name := range regexp.MustCompile("`[a-z0-9]+`").FindAllString(taken, -1) {
		if flags.CheckChain(strings.Trim(name, "`")) == nil {
			t.Errorf("a chain may have the name %s", name)
		}
	}
	slices.Sort(documented)
	slices.Sort(want)
	expect.Equal(t, "flags of a chain", want, documented)
}
