package ent_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// byHand are the files and folders of this one that ent does not generate.
var byHand = []string{"generate.go", "generate_test.go", "schema", "template"}

// files returns the contents of the files below a folder, by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(byHand, path) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		found[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// copyTo copies a file or a folder.
func copyTo(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestGenerated_IsWhatTheSchemaGives: the committed code is what ent makes of
// the schema and the template, no more and no less. It is made elsewhere.
func TestGenerated_IsWhatTheSchemaGives(t *testing.T) {
	elsewhere := t.TempDir()
	for _, path := range []string{"go.mod", "go.sum", "ent/generate.go", "ent/schema", "ent/template", "internal/evm"} {
		copyTo(t, filepath.Join("..", path), filepath.Join(elsewhere, path))
	}
	generate := exec.CommandContext(t.Context(), "go", "generate", "./ent")
	generate.Dir = elsewhere
	generate.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off")
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, output)
	}
	want, got := files(t, filepath.Join(elsewhere, "ent")), files(t, ".")
	if len(want) == 0 {
		t.Fatal("ent made nothing")
	}
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s is not what ent makes of the schema: run make generate (-ent +committed):\n%s", path, cmp.Diff(text, got[path]))
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is not generated any more: remove it", path)
		}
	}
}
