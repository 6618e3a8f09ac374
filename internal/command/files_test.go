package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// linkedFile returns the path of a symbolic link, and of its target in another folder.
func linkedFile(t *testing.T) (link, target string) {
	t.Helper()
	folder := t.TempDir()
	link, target = filepath.Join(folder, "links", "x.db"), filepath.Join(folder, "data", "real name?#%.db")
	for _, path := range []string{link, target} {
		expect.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	}
	expect.NoError(t, os.Symlink("../data/"+filepath.Base(target), link))
	return link, target
}

// TestLinks checks that a symbolic link stands for its target, which may not exist yet, in
// every command.
func TestLinks(t *testing.T) {
	t.Parallel()
	db, target := linkedFile(t)
	importInto(t, db, nil, chainA(t, "bundle.ndjson.gz"))
	copied, copiedTo := linkedFile(t)
	restored, restoredTo := linkedFile(t)
	output, writtenTo := linkedFile(t)
	for _, args := range [][]string{
		{"check"}, {"migrate"}, {"export", "mints"}, {"export", "burns", "--output", output}, {"backup", copied},
	} {
		mustRun(t, append(args, "--db", db)...)
	}
	mustRun(t, "restore", "--db", restored, copied)
	serve(t, "sqlite://"+restored).Get(t, "{ mints { totalItems } }", "")
	for _, real := range []string{target, copiedTo, restoredTo, writtenTo} {
		if info, err := os.Lstat(real); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v", real, err)
		}
	}
	for _, link := range []string{db, copied, restored, output} {
		if _, err := os.Readlink(link); err != nil {
			t.Error(err)
		}
	}
	fails(t, 1, "file already exists", "backup", "--db", target, copied)
	loop := filepath.Join(t.TempDir(), "loop.db")
	expect.NoError(t, os.Symlink(loop, loop))
	fails(t, 1, "opening database "+loop, "check", "--db", loop)
}

// TestFiles_Rights checks that written files have the rights that the umask leaves, and copies of a
// database at most its own.
func TestFiles_Rights(t *testing.T) {
	t.Parallel()
	skipShort(t, "makes files of each kind")
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no umask")
	}
	db := importChainA(t)
	for umask, want := range map[string]os.FileMode{"077": 0o600, "022": 0o644, "027": 0o640, "002": 0o664} {
		folder := t.TempDir()
		script := "umask " + umask + ` && mintburn export mints --db "$1" --output "$2/mints" && mintburn backup --db "$1" "$2/copy.db" && mintburn restore --db "$2/back.db" "$2/copy.db"`
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", db, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		source, err := os.Stat(db)
		expect.NoError(t, err)
		for _, name := range []string{"mints", "copy.db", "back.db"} {
			info, err := os.Stat(filepath.Join(folder, name))
			expect.NoError(t, err)
			want := want
			if name != "mints" {
				want &= source.Mode().Perm()
			}
			expect.Equal(t, name+", umask "+umask, want, info.Mode().Perm())
		}
	}
}

// TestFiles_Killed checks that the next run of a command removes what a killed one left.
func TestFiles_Killed(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	for _, args := range [][]string{{"export", "mints", "--db", db, "--output", "NEW"}, {"backup", "--db", db, "NEW"}, {"restore", "--db", "NEW", db}} {
		folder := t.TempDir()
		for i := range args {
			args[i] = strings.Replace(args[i], "NEW", filepath.Join(folder, "new"), 1)
		}
		for _, end := range []string{".17.part", ".18.partial", ".18.partial-journal", ".19.partial-journal"} {
			expect.NoError(t, os.WriteFile(filepath.Join(folder, "new"+end), []byte("half"), 0o600))
		}
		mustRun(t, args...)
		left, err := filepath.Glob(filepath.Join(folder, "new.*"))
		expect.NoError(t, err)
		if want := map[bool]int{true: 3, false: 1}[args[0] == "export"]; len(left) != want {
			t.Errorf("%s left %v", args[0], left)
		}
	}
}
