package command_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/digesttest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// exportedDigests exports all mints and burns as CSV, and returns what an independent program computes from it.
// Each export must say the same digest of blocks 0 to last.
func exportedDigests(t testing.TB, dsn string, last uint64) (all [2]digesttest.Blocks) {
	t.Helper()
	for kind, set := range []string{"mints", "burns"} {
		stdout, stderr := mustRun(t, "export", "--db", dsn, "--format", "csv", set)
		all[kind] = digesttest.Of(strings.Split(strings.TrimSpace(stdout), "\n")[1:])
		want := fmt.Sprintf("\ndigest of %s of blocks 0 to %d: %s\n", set, last, all[kind].Range(0, last))
		if !strings.HasSuffix(stderr, want) {
			t.Fatalf("export %s ends with %q, want %q", set, stderr, want)
		}
	}
	return all
}

// digestLine returns the line of a backup.
func digestLine(of [2]digesttest.Blocks, first, last uint64) string {
	return fmt.Sprintf("Blocks %d to %d: mints %s, burns %s.\n", first, last, of[0].Range(first, last), of[1].Range(first, last))
}

// TestDigests compares the digests of an import, a copy on PostgreSQL, a backup, a folder, and the API.
func TestDigests(t *testing.T) {
	t.Parallel()
	db, folder := importChainA(t), t.TempDir()
	of := exportedDigests(t, db, 360)
	copied := pgtest.DSN(t)
	for _, args := range [][]string{{"copy", "--from", db, "--to", copied}, {"backup", "--db", db, filepath.Join(folder, "copy.db")}} {
		if stdout, _ := mustRun(t, args...); !strings.HasSuffix(stdout, digestLine(of, 0, 360)) {
			t.Errorf("%s prints %q, want %q at the end", args[0], stdout, digestLine(of, 0, 360))
		}
	}
	mustRun(t, "export", "--db", db, "burns", "--partition-blocks", "100", "--format", "csv", "--output", filepath.Join(folder, "burns"), "--from-block", "10")
	var manifest struct {
		Indexed []struct{ Digest string } `json:"indexed"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "burns", "_manifest.json"))
	expect.NoError(t, err)
	expect.NoError(t, json.Unmarshal(text, &manifest))
	expect.Equal(t, "digest of the folder", of[1].Range(10, 360), manifest.Indexed[0].Digest)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dsn := range []string{db, copied} {
		s := serve(t, dsn)
		fields, want := "", map[string]any{}
		for i := range 40 {
			a, b := rng.Uint64N(361), rng.Uint64N(361)
			a, b = min(a, b), max(a, b)
			fields += fmt.Sprintf("d%d: digest(fromBlock: %d, toBlock: %d) { mints burns } ", i, a, b)
			want[fmt.Sprint("d", i)] = map[string]any{"mints": of[0].Range(a, b), "burns": of[1].Range(a, b)}
		}
		expect.Equal(t, "digests", any(want), s.Get(t, "{ chain { "+fields+"} }", "")["chain"])
		for args, code := range map[string]string{
			"fromBlock: 5, toBlock: 4":   "BAD_USER_INPUT",
			"fromBlock: 5, toBlock: 361": "BLOCK_NOT_INDEXED", "fromBlock: 400, toBlock: 410": "BLOCK_NOT_INDEXED",
		} {
			s.Ask(t, "{ chain { chainId digest("+args+") { mints } } }", "").OnlyError(t, code)
		}
	}
}

// TestDigests_None has exports that are not all records of their blocks, which have no digest.
func TestDigests_None(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	cursor := continuePattern.FindStringSubmatch(func() string {
		_, stderr := mustRun(t, "export", "--db", db, "mints", "--to-block", "50")
		return stderr
	}())[1]
	for _, args := range [][]string{{"mints", "--finality", "finalized"}, {"burns", "--account", "0x4bc9473aca4df67fd297a9b00365135c82f44072"}, {"mints", "--after", cursor}, {"blocks"}, {"tokens"}} {
		if _, stderr, _ := run(t, nil, append([]string{"export", "--db", db}, args...)...); strings.Contains(stderr, "digest of") {
			t.Errorf("export %v: %s", args, stderr)
		}
	}
	_, stderr := mustRun(t, "export", "--db", db, "mints", "--to-block", "50")
	if !strings.Contains(stderr, "digest of mints of blocks 0 to 50: 0x") {
		t.Error(stderr)
	}
}

// TestDigests_Filled counts the stored digests after each command that adds the missing ones.
func TestDigests_Filled(t *testing.T) {
	t.Parallel()
	count := func(dsn string) (n int) {
		// The file and its tables do not exist at first.
		_ = open(t, dsn).QueryRowContext(t.Context(), "SELECT count(*) FROM digests WHERE level = 1").Scan(&n)
		return n
	}
	imported := importChainA(t)
	expect.Equal(t, "after import", 5, count(imported))
	db, err := sql.Open("sqlite3", imported)
	expect.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "DELETE FROM coverage WHERE kind = 'digested'; DELETE FROM digests")
	expect.NoError(t, errors.Join(err, db.Close()))
	mustRun(t, "migrate", "--db", imported)
	expect.Equal(t, "after migrate", 5, count(imported))

	node, _ := generated(t, 150, 300)
	folder := t.TempDir()
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", filepath.Join(folder, "once.db"))
	expect.Equal(t, "after sync --once", 2, count(filepath.Join(folder, "once.db")))
	start(t, "serve", "--rpc", node.URL, "--db", filepath.Join(folder, "followed.db"))
	until(t, func() bool { return count(filepath.Join(folder, "followed.db")) == 2 })
}
