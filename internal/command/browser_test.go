package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mintburn/internal/chaintest"
)

// TestPage_InABrowser runs web/test against the demo: every ready tab, in
// Chromium, with no network but loopback.
func TestPage_InABrowser(t *testing.T) {
	web := filepath.Join(root, "web")
	neededPage(t)
	neededBrowser(t)
	s := start(t, "demo")
	for _, script := range []string{"test", "test:browser"} {
		npm(t, web, []string{"MINTBURN_URL=" + s.Base + "/"}, script)
	}
}

// neededPage is [needed] for the page, as this build has it.
func neededPage(t *testing.T) {
	t.Helper()
	neededFile(t, "the page is not built: make assets", filepath.Join(root, "internal", "httpapi", "assets", "built"))
}

// neededBrowser is [needed] for Chromium and what drives it.
func neededBrowser(t *testing.T) {
	t.Helper()
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

// needed skips a test for which something is not installed; where everything
// is required, as in CI, it fails it.
func needed(t *testing.T, missing string, look func() error) {
	t.Helper()
	if err := look(); err != nil {
		chaintest.Absent(t, fmt.Sprintf("%s: %v", missing, err))
	}
}
