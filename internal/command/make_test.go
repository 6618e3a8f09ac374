package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestMake_Tools runs make where some of its tools are missing: before it builds anything, it names
// each with the package that has it.
func TestMake_Tools(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs make")
	for _, tool := range []string{"make", "git", "gcc", "go", "npm"} {
		needed(t, "a tool is not installed", func() error {
			_, err := exec.LookPath(tool)
			return err
		})
	}
	lines := map[string]string{
		"go":  "make: Go is missing: install Go 1.26 ",
		"gcc": "make: a C compiler for SQLite is missing: install the packages gcc and libc6-dev ",
		"npm": "make: npm is missing, so the Playground will come from a CDN: to have it in the program, install the package npm\n",
	}
	for target, lacking := range map[string][][]string{
		"build": {{"go"}, {"gcc"}, {"gcc", "npm"}, {"go", "gcc", "npm"}},
		"test":  {{"gcc"}, {"go", "npm"}},
		"short": {{"go"}},
	} {
		for _, lack := range lacking {
			folder := t.TempDir()
			for _, tool := range []string{"sh", "make", "git", "sed", "mkdir", "sleep", "uname", "as", "gcc", "go", "npm", "node"} {
				if path, err := exec.LookPath(tool); err == nil && !slices.Contains(lack, tool) {
					expect.NoError(t, os.Symlink(path, filepath.Join(folder, tool)))
				}
			}
			// With -B everything is built that is built already.
			process := exec.CommandContext(t.Context(), "make", "-B", target)
			// Without what make test tells the make below it, which says more.
			process.Dir, process.Env = root, append(os.Environ(), "PATH="+folder, "CGO_ENABLED=1", "MAKELEVEL=", "MAKEFLAGS=")
			said, err := process.CombinedOutput()
			if !errors.As(err, new(*exec.ExitError)) || process.ProcessState.ExitCode() != 2 {
				t.Errorf("%s without %q: %v", target, lack, err)
			}
			for tool, line := range lines {
				if strings.Contains(string(said), line) != slices.Contains(lack, tool) {
					t.Errorf("%s without %q: %s", target, lack, said)
				}
			}
			if strings.Contains(string(said), "compiling") || strings.Count(string(said), "\n") > len(lack)+1 {
				t.Errorf("%s without %q says more: %s", target, lack, said)
			}
		}
	}
}

// TestBuild_NoCompiler builds without cgo, as go build does where there is no C compiler: the only
// error is a name that says so.
func TestBuild_NoCompiler(t *testing.T) {
	t.Parallel()
	skipShort(t, "it compiles a part of the standard library")
	build := exec.CommandContext(t.Context(), "go", "build", "./internal/database")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	if err == nil || strings.Count(string(said), "undefined: ") != 1 || !strings.Contains(string(said), "undefined: SQLite_needs_a_C_compiler") {
		t.Errorf("%v: %s", err, said)
	}
}
