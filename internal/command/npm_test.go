package command_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestAudits runs all audits of the npm package graphql-http, by POST and by
// GET. docs/api.md#graphql-over-http.
func TestAudits(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the audits from npm")
	web := filepath.Join(root, "web")
	neededFile(t, "npm packages are not installed: make assets", filepath.Join(web, "node_modules", "graphql-http"))
	s := start(t, "demo")
	npm(t, web, []string{"MINTBURN_URL=" + s.Base + "/"}, "audits")
}

// TestClients runs web/clients against the demo: the npm packages of front ends, and
// the tools that check the schema. Then it runs the programs that the Playground writes, and those of
// several chains and of the feed, one after the other because they compile Relay's documents.
func TestClients(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the clients from npm")
	clients := filepath.Join(root, "web", "clients")
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(clients, "node_modules", "relay-compiler"))
	t.Run("still", func(t *testing.T) {
		s := start(t, "demo")
		npm(t, clients, []string{"MINTBURN_URL=" + s.Base + "/"}, "test")
	})
	t.Run("programs", func(t *testing.T) {
		needed(t, "no Python or curl", func() error {
			_, python := exec.LookPath("python3")
			_, curl := exec.LookPath("curl")
			return errors.Join(python, curl)
		})
		line, said := mustRun(t, "keys", "new", "reader")
		keys := filepath.Join(t.TempDir(), "keys")
		expect.NoError(t, os.WriteFile(keys, []byte(line), 0o600))
		s := start(t, "demo", "--api-keys", keys)
		npm(t, clients, []string{"MINTBURN_URL=" + s.Base + "/", "MINTBURN_KEY=" + strings.TrimSpace(said[strings.LastIndex(said, " "):])}, "test:programs")
	})
	t.Run("chains", func(t *testing.T) {
		node, _ := generated(t, 20, 10)
		other := filepath.Join(t.TempDir(), "other.db")
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", other)
		s := start(t, "serve", "--chain", "demo="+importDemo(t), "--chain", "other="+other)
		npm(t, clients, []string{"MINTBURN_URL=" + s.Base + "/"}, "test:chains")
	})
	t.Run("live", func(t *testing.T) { npm(t, clients, newLive(t).environment(), "test:live") })
}

// TestDocs_Scripts checks that each JavaScript or TSX block of the documents is, except for
// white space, part of a file that a test runs.
func TestDocs_Scripts(t *testing.T) {
	t.Parallel()
	var scripts []string
	for _, folder := range []string{filepath.Join("web", "clients"), "examples"} {
		scripts = append(scripts, scriptsIn(t, filepath.Join(root, folder))...)
	}
	if len(scripts) < 5 {
		t.Errorf("found %d scripts", len(scripts))
	}
	for name, text := range documents(t) {
		blocks, err := fences(text)
		expect.NoError(t, err)
		for _, b := range blocks {
			runs := func(script string) bool { return strings.Contains(script, oneSpaced(b.text)) }
			if (b.info == "js" || b.info == "tsx") && !slices.ContainsFunc(scripts, runs) {
				t.Errorf("%s, line %d: the block is in no file of web/clients or examples", name, b.line)
			}
		}
	}
}

// scriptsIn returns the scripts in a folder, with white space as in [oneSpaced].
func scriptsIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch extension := filepath.Ext(path); {
		case err != nil:
			return err
		case entry.Name() == "node_modules" || entry.Name() == "generated" || entry.Name() == "dist":
			return filepath.SkipDir
		case extension == ".js" || extension == ".jsx" || extension == ".tsx":
			text, err := os.ReadFile(path)
			list = append(list, oneSpaced(string(text)))
			return err
		}
		return nil
	})
	expect.NoError(t, err)
	return list
}

// oneSpaced replaces each run of white space with one space.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestPage_InABrowser runs web/test against the demo: every example tab, and the docs, in
// Chromium, with only the loopback network.
func TestPage_InABrowser(t *testing.T) {
	t.Parallel()
	web := filepath.Join(root, "web")
	neededPage(t)
	neededBrowser(t)
	s := start(t, "demo")
	for _, script := range []string{"test", "test:browser", "test:docs"} {
		npm(t, web, []string{"MINTBURN_URL=" + s.Base + "/", "PROXIED_URL=" + proxied(t, s)}, script)
	}
}

// neededPage is [needed] for the page in this build.
func neededPage(t *testing.T) {
	t.Helper()
	neededFile(t, "the page is not built: make assets", filepath.Join(root, "internal", "httpapi", "page", "assets", "built"))
}

// neededBrowser is [needed] for Chromium and its driver. It also skips the test with
// -short.
func neededBrowser(t *testing.T) {
	t.Helper()
	skipShort(t, "starts a browser")
	neededFile(t, "npm packages are not installed: make assets", filepath.Join(root, "web", "node_modules", "playwright-core"))
	needed(t, "no Chromium", func() error {
		if os.Getenv("CHROMIUM") != "" {
			return nil
		}
		_, err := exec.LookPath("chromium")
		return err
	})
}

// neededFile is [needed] for a file or folder.
func neededFile(t *testing.T, missing, path string) {
	t.Helper()
	needed(t, missing, func() error {
		_, err := os.Stat(path)
		return err
	})
}

// needed skips a test if look fails because something is not installed. If everything
// is required, as in CI, it fails the test.
func needed(t *testing.T, missing string, look func() error) {
	t.Helper()
	if err := look(); err != nil {
		chaintest.Absent(t, fmt.Sprintf("%s: %v", missing, err))
	}
}
