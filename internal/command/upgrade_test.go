package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// earlier returns the commit MINTBURN_UPGRADE, or the last tag before this commit if that is
// "tag". It skips the test if there is none.
func earlier(t *testing.T) (commit string) {
	t.Helper()
	switch commit = os.Getenv("MINTBURN_UPGRADE"); commit {
	case "":
		t.Skip("set MINTBURN_UPGRADE to tag or a commit: it builds the program of that commit")
	case "tag":
		describe := exec.CommandContext(t.Context(), "git", "describe", "--tags", "--abbrev=0", "HEAD^")
		describe.Dir = root
		out, err := describe.Output()
		if err != nil {
			t.Skip("there is no earlier release: no tag before this commit")
		}
		commit = strings.TrimSpace(string(out))
	}
	return commit
}

// TestUpgrade fills a database with the program of an earlier release, and opens it with this
// one: it must have the same records, be consistent and writable. The earlier program must then
// work with the database, or refuse it with one line.
func TestUpgrade(t *testing.T) {
	commit := earlier(t)
	folder := cloneHead(t, root)
	succeed(t, folder, nil, "git", "checkout", "--quiet", commit)
	program := filepath.Join(t.TempDir(), "earlier")
	succeed(t, folder, nil, "go", "build", notInlined, "-o", program, ".")
	t.Logf("%s: %s", commit, succeed(t, "", nil, program, "version"))
	recording := filepath.Join(folder, "internal", "demo", "chain.ndjson.gz")
	for name, create := range map[string]func() string{
		"sqlite":     func() string { return filepath.Join(t.TempDir(), "upgraded.db") },
		"postgresql": func() string { return pgtest.Direct(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db := create()
			succeed(t, "", nil, program, "import", "--db", db, recording)
			sets := []string{"mints", "burns", "metadata", "blocks"}
			before := map[string]string{}
			for _, set := range sets {
				printed, err := exec.CommandContext(t.Context(), program, "export", "--db", db, "--format", "csv", set).Output()
				expect.NoError(t, err)
				before[set] = string(printed)
			}
			migrated, _ := mustRun(t, "migrate", "--db", db)
			t.Log(migrated)
			for _, set := range sets {
				after, _ := mustRun(t, "export", "--db", db, "--format", "csv", set)
				expect.Equal(t, set, before[set], after)
			}
			mustRun(t, "check", "--db", db)
			mustRun(t, "import", "--db", db, recording)
			mustRun(t, "check", "--db", db)
			check := exec.CommandContext(t.Context(), program, "check", "--db", db)
			said, err := check.CombinedOutput()
			t.Logf("the earlier program: %s", said)
			if failed := new(exec.ExitError); errors.As(err, &failed) && !strings.HasSuffix(string(said), ": use a newer mintburn\n") || err != nil && failed == nil {
				t.Errorf("the earlier program: %v: %s", err, said)
			}
		})
	}
}
