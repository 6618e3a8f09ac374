package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/demo"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestNoSQLite builds the program with the tag nosqlite and without a C compiler, which
// compiles everything anew. With PostgreSQL, it must work like the normal program. With a
// file, it must fail with one line.
func TestNoSQLite(t *testing.T) {
	if os.Getenv("MINTBURN_RELEASE") == "" {
		t.Skip("set MINTBURN_RELEASE=1: it builds the program anew")
	}
	program := filepath.Join(t.TempDir(), "mintburn")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "nosqlite", "-o", program, ".")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "CC=no-compiler")
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "nosqlite", ".")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if packages, err := list.CombinedOutput(); err != nil || strings.Contains(string(packages), "go-sqlite3") {
		t.Errorf("without a C compiler: %v: %s", err, packages)
	}
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	without := func(args ...string) (stdout, stderr string, code int) {
		command := exec.CommandContext(t.Context(), program, args...)
		command.Stdin = demo.Open()
		var out, errs strings.Builder
		command.Dir, command.Stdout, command.Stderr = t.TempDir(), &out, &errs
		if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		return out.String(), errs.String(), command.ProcessState.ExitCode()
	}
	if out, _, _ := without("version"); !strings.Contains(out, "\nsqlite none\nlacks SQLite (no -tags nosqlite), Parquet (-tags parquet), traces (-tags otel)") {
		t.Errorf("version prints %s", out)
	}
	const line = "this program was built without SQLite (-tags nosqlite): want postgres://…"
	for args, want := range map[string]struct {
		code int
		line string
	}{
		"serve":                     {2, "mintburn: --db: " + line + " (see mintburn --help)\n"},
		"import --db x.db -":        {2, "mintburn: --db: " + line + " (see mintburn --help)\n"},
		"migrate --db sqlite://x":   {2, "mintburn: --db: " + line + " (see mintburn --help)\n"},
		"demo --listen 127.0.0.1:0": {1, "mintburn: " + line + "\n"},
	} {
		if _, stderr, code := without(strings.Fields(args)...); code != want.code || stderr != want.line {
			t.Errorf("%s: exit code %d, %q: want %d, %q", args, code, stderr, want.code, want.line)
		}
	}
	db := pgtest.DSN(t)
	if _, stderr, code := without("import", "--db", db, "-"); code != 0 {
		t.Fatalf("import: exit code %d: %s", code, stderr)
	}
	got, _, _ := without("export", "--db", db, "mints")
	want, _ := mustRun(t, "export", "--db", importDemo(t), "mints")
	expect.Equal(t, "exported mints", want, got)
}
