package command_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClients runs web/clients against the demo: the npm packages that front
// ends use, and the tools that they check the schema with.
func TestClients(t *testing.T) {
	clients := filepath.Join(root, "web", "clients")
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(clients, "node_modules", "relay-compiler"))
	s := start(t, "demo")
	npm(t, clients, []string{"MINTBURN_URL=" + s.Base + "/"}, "test")
}

// TestDocs_Scripts: each JavaScript block of the documents is a part of a file
// that a test runs, but for white space.
func TestDocs_Scripts(t *testing.T) {
	var scripts []string
	for _, folder := range []string{filepath.Join("web", "clients"), "examples"} {
		scripts = append(scripts, scriptsIn(t, filepath.Join(root, folder))...)
	}
	if len(scripts) < 5 {
		t.Errorf("found %d scripts", len(scripts))
	}
	for name, text := range documents(t) {
		blocks, err := fences(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			runs := func(script string) bool { return strings.Contains(script, oneSpaced(b.text)) }
			if b.info == "js" && !slices.ContainsFunc(scripts, runs) {
				t.Errorf("%s, line %d: the block is in no file of web/clients or examples", name, b.line)
			}
		}
	}
}

// scriptsIn returns the scripts in a folder, with single spaces.
func scriptsIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch extension := filepath.Ext(path); {
		case err != nil:
			return err
		case entry.Name() == "node_modules" || entry.Name() == "generated" || entry.Name() == "dist":
			return filepath.SkipDir
		case extension == ".js" || extension == ".jsx":
			text, err := os.ReadFile(path)
			list = append(list, oneSpaced(string(text)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// oneSpaced makes each stretch of white space one space.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }
