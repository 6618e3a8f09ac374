package command_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// filesIn returns the files below a folder by their slash-separated paths, sorted.
func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	expect.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, path)
		}
		return err
	}))
	return list
}

// install installs the program that make demo built, as for a package, runs it, and uninstalls
// it.
func (c *inClone) install(t *testing.T) {
	to := t.TempDir()
	args := []string{"install", "DESTDIR=" + to, "PREFIX=/usr"}
	// As it is not built again, sudo make install needs no Go.
	if said := succeed(t, c.folder, nil, "make", args...); strings.Contains(said, "make: compiling") {
		t.Errorf("it compiles again: %s", said)
	}
	expect.Equal(t, "installed", []string{
		"usr/bin/mintburn", "usr/lib/systemd/system/mintburn.service", "usr/share/bash-completion/completions/mintburn",
		"usr/share/fish/vendor_completions.d/mintburn.fish", "usr/share/man/man1/mintburn.1", "usr/share/zsh/site-functions/_mintburn",
	}, filesIn(t, to))
	program := filepath.Join(to, "usr/bin/mintburn")
	if printed := succeed(t, "", nil, program, "version"); !regexp.MustCompile(`\nlacks (HTTP/2 \(go1\S+\), )?Playground \(make assets\)\n$`).MatchString(printed) {
		t.Errorf("version prints %s", printed)
	}
	for path, want := range map[string][]string{
		"share/man/man1/mintburn.1":                     {"man"},
		"share/bash-completion/completions/mintburn":    {"completion", "bash"},
		"share/zsh/site-functions/_mintburn":            {"completion", "zsh"},
		"share/fish/vendor_completions.d/mintburn.fish": {"completion", "fish"},
	} {
		text, err := os.ReadFile(filepath.Join(to, "usr", path))
		expect.NoError(t, err)
		if string(text) != succeed(t, "", nil, program, want...) {
			t.Errorf("%s is not what mintburn %s prints", path, strings.Join(want, " "))
		}
	}
	unit, err := os.ReadFile(filepath.Join(to, "usr/lib/systemd/system/mintburn.service"))
	expect.NoError(t, err)
	if !strings.Contains(string(unit), "\nExecStart=/usr/bin/mintburn serve\n") {
		t.Errorf("the unit starts another program: %s", unit)
	}
	succeed(t, c.folder, nil, "make", slices.Replace(args, 0, 1, "uninstall")...)
	expect.Equal(t, "left", []string(nil), filesIn(t, to))
	for _, prefix := range []string{"usr", "", "/opt/my programs"} {
		process := exec.CommandContext(t.Context(), "make", "install", "PREFIX="+prefix)
		process.Dir = c.folder
		if said, err := process.CombinedOutput(); err == nil || !strings.Contains(string(said), "make: PREFIX: got '"+prefix+"', want an absolute path without spaces\n") {
			t.Errorf("PREFIX %q: %v: %s", prefix, err, said)
		}
	}
}
