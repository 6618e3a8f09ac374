package command_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/command"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// cursorIn returns the cursor that a command printed on standard error.
func cursorIn(t testing.TB, stderr string) string {
	t.Helper()
	found := continuePattern.FindStringSubmatch(stderr)
	if found == nil {
		t.Fatalf("no cursor: %s", stderr)
	}
	return found[1]
}

// exportedWithin returns the lines of an export within lines of changes, by their member.
func exportedWithin(lines, member string) (text string) {
	for line := range strings.Lines(lines) {
		if _, object, found := strings.Cut(line, `,"`+member+`":{`); found {
			text += "{" + strings.TrimSuffix(object, "}\n") + "\n"
		}
	}
	return text
}

// TestChanges prints what was added and what became void since a cursor.
func TestChanges(t *testing.T) {
	t.Parallel()
	node, contents := generated(t, 30, 10)
	db := filepath.Join(t.TempDir(), "changed.db")
	synced := func() { mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db) }
	synced()
	stdout, stderr := mustRun(t, "changes", "--db", db)
	if stdout != "" || !strings.HasPrefix(stderr, "Printed 0 changes. To continue later: --after ") {
		t.Errorf("without --after: %q, %s", stdout, stderr)
	}
	after := cursorIn(t, stderr)
	before := map[string]string{}
	for _, set := range []string{"mints", "burns"} {
		before[set], _ = mustRun(t, "export", "--db", db, set)
	}
	contents.Seed++
	node.Generate(contents)
	synced()
	stdout, stderr = mustRun(t, "changes", "--db", db, "--after", after)
	if want := fmt.Sprintf("Printed %d changes. To continue later: --after ", strings.Count(stdout, "\n")); !strings.HasPrefix(stderr, want) || stdout == "" {
		t.Errorf("%s, want %s", stderr, want)
	}
	for member, set := range map[string]string{"mint": "mints", "burn": "burns"} {
		all, _ := mustRun(t, "export", "--db", db, set)
		expect.Equal(t, set+" (export, changes)", strings.TrimPrefix(all, before[set]), exportedWithin(stdout, member))
	}
	var mint struct {
		Cursor string
		Mint   struct {
			Address string `json:"token_address"`
			To      string
		}
	}
	all := strings.SplitAfter(stdout, "\n")
	i := slices.IndexFunc(all, func(line string) bool { return strings.Contains(line, `"mint":`) })
	apitest.Decode(t, all[i], &mint)
	rest, _ := mustRun(t, "changes", "--db", db, "--after", mint.Cursor)
	expect.Equal(t, "kinds after the cursor of a line", strings.Count(strings.Join(all[i+1:], ""), "\n"), strings.Count(rest, "\n"))
	filtered, _ := mustRun(t, "changes", "--db", db, "--after", after, "--kind", "added", "--address", mint.Mint.Address, "--account", mint.Mint.To+",0x0100000000000000000000000000000000000000")
	if !strings.Contains(filtered, mint.Mint.To) || strings.Count(filtered, "\n") >= strings.Count(stdout, "\n") {
		t.Errorf("filtered: %s", filtered)
	}
	for line := range strings.Lines(filtered) {
		if !strings.Contains(line, mint.Mint.Address) || !strings.Contains(line, mint.Mint.To) {
			t.Errorf("filtered: %s", line)
		}
	}
	fails(t, 2, `--kind`, "changes", "--db", db, "--kind", "burned")
	fails(t, 2, "--kind metadata: documents have no account: want no --account", "changes", "--db", db, "--kind", "metadata", "--account", mint.Mint.To)
	fails(t, 2, "invalid cursor", "changes", "--db", db, "--after", "x")
	fails(t, 2, "invalid cursor", "changes", "--db", db, "--after", "")
	fails(t, 2, "invalid cursor", "changes", "--db", db, "--after=")
	// A restored backup, or another database, has another log.
	other, err := sql.Open("sqlite3", "file:"+db)
	expect.NoError(t, err)
	defer other.Close()
	_, err = other.Exec("UPDATE changes SET nonce = nonce + 1")
	expect.NoError(t, err)
	fails(t, 3, "drop the copy, get a new cursor from mintburn changes, export again, then continue after that cursor", "changes", "--db", db, "--after", after)
}

// TestChanges_Redecode reads a change whose cause only builds before v0.1.0 stored.
func TestChanges_Redecode(t *testing.T) {
	t.Parallel()
	node, _ := generated(t, 30, 10)
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		_, stderr := mustRun(t, "changes", "--db", db)
		after := cursorIn(t, stderr)
		change(t, db, "DELETE FROM mints WHERE id = (SELECT min(id) FROM mints)")
		mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db)
		change(t, db, "UPDATE change_events SET event = 'REDECODE' WHERE event = 'REPAIR'")
		stdout, _ := mustRun(t, "changes", "--db", db, "--after", after, "--kind", "voided")
		if !strings.Contains(stdout, `"cause":"redecode"`) || strings.Count(stdout, "\n") != 1 {
			t.Errorf("changes: %s", stdout)
		}
		got := serve(t, db).Get(t, fmt.Sprintf(`{ changes(after: %q, kinds: [VOIDED]) { changes { ... on BlocksVoided { cause } } } }`, after), "")
		expect.Equal(t, "the API", map[string]any{"changes": map[string]any{"changes": []any{map[string]any{"cause": "REDECODE"}}}}, got)
	})
}

// TestChanges_Follow prints changes while a chain grows and PostgreSQL goes away, until a signal.
func TestChanges_Follow(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	node, contents := generated(t, 30, 10)
	db := pgtest.NewProxy(t)
	grown := func() {
		contents.Seed++
		node.Generate(contents)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db.DSN)
	}
	grown()
	_, stderr := mustRun(t, "changes", "--db", db.DSN)
	after := cursorIn(t, stderr)
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, errs output
	ended := make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, repository, []string{"changes", "--follow", "--db", db.DSN, "--after", after}, nil, &stdout, &errs)
	}()
	matches := func() bool {
		want, _ := mustRun(t, "changes", "--db", db.DSN, "--after", after, "--kind", "added")
		return want != "" && exportedWithin(stdout.String(), "mint") == exportedWithin(want, "mint")
	}
	grown()
	until(t, matches)
	db.Cut()
	until(t, func() bool { return strings.Contains(errs.String(), "looking for changes failed") })
	db.Restore()
	grown()
	until(t, matches)
	cancel()
	if code := <-ended; code != 0 || !strings.Contains(errs.String(), "To continue later: --after ") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
