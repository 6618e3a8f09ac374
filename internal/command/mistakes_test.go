package command_test

import (
	"database/sql"
	"flag"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

var updateHelp = flag.Bool("update-help", false, "rewrite testdata/help.txt")

// TestHelp compares what --help prints for each command with testdata/help.txt.
func TestHelp(t *testing.T) {
	t.Parallel()
	const file = "testdata/help.txt"
	all, _, _ := run(t, nil, "--help")
	for _, name := range regexp.MustCompile(`(?m)^  ([a-z-]+) `).FindAllStringSubmatch(all, -1) {
		help, _, _ := run(t, nil, name[1], "--help")
		all += "\n" + help
	}
	if *updateHelp {
		expect.NoError(t, os.WriteFile(file, []byte(all), 0o644))
	}
	want, err := os.ReadFile(file)
	expect.NoError(t, err)
	expect.Equal(t, "the help", string(want), all)
}

// TestMistakes makes each mistake of testdata/mistakes.txt, and compares the exit code and the
// line. No line contains a secret.
func TestMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	expect.NoError(t, err)
	t.Chdir(t.TempDir())
	block := `{"block":{"number":"0x1","hash":"0x` + strings.Repeat("b", 64) + `","parentHash":"0x` + strings.Repeat("a", 64) + `","timestamp":"0x64"},"logs":[]}` + "\n"
	for name, text := range map[string]string{
		"one.ndjson": block, "bad.ndjson": "{\"x\":1}\n" + strings.Repeat("x", 120), "bad.gz": "\x1f\x8bnot gzip", "empty.db": "",
		"bad.toml": "[serve]\nlisten = SECRET\n", "typo.toml": "[serve]\nlisten = \"x\"\nlisen = \"SECRET\"\n", "type.toml": "[import]\nrange-cap = \"many\"\n",
	} {
		expect.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, text := range map[string]string{
		"chains": "[chains.eth]\ndb = \"ours.db\"\npoll = \"1ns\"\n[chains.base]\ndb = \"base.db\"\n", "name": "\n[chains.Eth]\n", "path": "[chains.docs]\n", "twice": "[chains.eth]\n[chains.eth]\n",
		"process": "[chains.eth]\nlisten = \"SECRET\"\n", "key": "[chains.eth]\npol = \"SECRET\"\n", "value": "[chains.eth]\npoll = \"soon\"\n", "none": "[chains.eth]\n",
		"beside": "log-format = \"text\"\ndb = \"SECRET\"\n[chains.eth]\n", "url": "[sync]\nrpc = [\"http://h/SECRET\"]\n[chains.eth]\n", "same": "[chains.eth]\ndb = \"x.db\"\n[chains.base]\ndb = \"sqlite://./x.db\"\n",
		"dsn": "[chains.eth]\ndb = \"postgres://u:SECRET@h:port/d\"\n", "table": "[chains]\n", "deep": "[chains.eth.x]\n", "default": "[serve]\ndefault-chain = \"eht\"\n[chains.eth]\ndb = \"x.db\"\n",
		"alone": "[serve]\ndb = \"x.db\"\n", "select": "chain = [\"eth\", \"eth\"]\n[chains.eth]\ndb = \"x.db\"\n",
	} {
		expect.NoError(t, os.WriteFile("chains-"+name+".toml", []byte(text), 0o600))
	}
	expect.NoError(t, os.Mkdir("FOLDER", 0o700))
	edit(t, "foreign.db", "CREATE TABLE users (x)")
	importInto(t, "ours.db", nil, "one.ndjson")
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[2:]
	if n := len(lines) / 2; n < 100 {
		t.Errorf("%d mistakes, want 100", n)
	}
	for i := 0; i+1 < len(lines); i += 2 {
		args := strings.Fields(lines[i])
		variable, value, set := strings.Cut(args[0], "=")
		if set {
			t.Setenv(variable, value)
			args = args[1:]
		}
		for n, arg := range args {
			args[n] = strings.NewReplacer("␣", " ", `\n`, "\n", `\t`, "\t").Replace(arg)
		}
		_, stderr, code := run(t, nil, args[1:]...)
		got, more := strings.CutSuffix(strconv.Itoa(code)+" "+strings.TrimPrefix(stderr, "mintburn: "), "\n")
		want, begins := strings.CutSuffix(strings.TrimSpace(lines[i+1]), "…")
		if !more || strings.Contains(got, "\n") || strings.Contains(got, "SECRET") || got != want && !(begins && strings.HasPrefix(got, want)) {
			t.Errorf("%s\n\t%s\nwant\t%s", lines[i], got, want)
		}
		if set {
			expect.NoError(t, os.Unsetenv(variable))
		}
	}
}

// TestMistakes_PostgreSQL checks that the reasons of PostgreSQL are shown, and no password.
func TestMistakes_PostgreSQL(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts PostgreSQL")
	dsn := pgtest.NewServer(t).DSN
	edit := func(change func(u *url.URL)) string {
		u, err := url.Parse(dsn)
		expect.NoError(t, err)
		change(u)
		return u.String()
	}
	db, err := sql.Open("pgx", dsn)
	expect.NoError(t, err)
	defer db.Close()
	var access string
	expect.NoError(t, db.QueryRowContext(t.Context(), "SHOW hba_file").Scan(&access))
	for _, statement := range []string{
		"CREATE ROLE locked LOGIN PASSWORD 'right'", "CREATE ROLE outside LOGIN",
		"COPY (VALUES ('host all locked all scram-sha-256'), ('host all outside all reject'), ('host all all all trust')) TO '" + access + "'", "SELECT pg_reload_conf()",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		expect.NoError(t, err)
	}
	with := func(user *url.Userinfo) string { return edit(func(u *url.URL) { u.User = user }) }
	until(t, func() bool { _, _, code := run(t, nil, "migrate", "--db", with(url.User("outside"))); return code != 0 })
	for _, c := range []struct{ dsn, want, cure string }{
		{with(url.UserPassword("locked", "SECRET")), `password authentication failed for user "locked" (SQLSTATE 28P01)`, "correct the user or the password"},
		{edit(func(u *url.URL) { u.User, u.RawQuery = url.User("locked"), "sslmode=disable&password=SECRET" }), `password authentication failed for user "locked"`, "correct the user or the password"},
		{with(url.UserPassword("nobody", "SECRET")), `role "nobody" does not exist`, "correct the user"},
		{with(url.UserPassword("outside", "SECRET")), "pg_hba.conf rejects connection", "correct the user, or let it connect in pg_hba.conf"},
		{edit(func(u *url.URL) { u.Path = "/none" }), `database "none" does not exist`, "create the database"},
		{edit(func(u *url.URL) { u.Host = "127.0.0.1:1" }), "connection refused", "check the address"},
		{edit(func(u *url.URL) { u.RawQuery = "sslmode=require" }), "server refused TLS connection", "enable ssl"},
	} {
		for _, args := range [][]string{{"migrate"}, {"check"}, {"export", "mints"}, {"import", os.DevNull}} {
			_, stderr, code := run(t, nil, append(args, "--db", c.dsn)...)
			// The driver also tries TLS, which these servers refuse.
			if code != 1 || !strings.HasPrefix(stderr, "mintburn: opening database: "+c.want) || strings.Count(stderr, " at ") != 1 || !strings.Contains(stderr, "): "+c.cure) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "SECRET") {
				t.Errorf("%v: exit code %d: %s\nwant %s", args, code, stderr, c.want)
			}
		}
	}
}
