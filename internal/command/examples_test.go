package command_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestExamples_InABrowser builds the front ends in examples/ and scrolls through
// a collection of the demo with each of them, in Chromium, with only the loopback
// network. They are served from a different origin than the API.
func TestExamples_InABrowser(t *testing.T) {
	t.Parallel()
	neededBrowser(t)
	for _, name := range []string{"apollo", "urql"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(root, "examples", name)
			neededFile(t, "npm packages are not installed: make clients", filepath.Join(folder, "node_modules", "vite"))
			built := t.TempDir()
			site := httptest.NewServer(http.FileServer(http.Dir(built)))
			defer site.Close()
			s := start(t, "demo", "--cors-origin", site.URL)
			npm(t, folder, []string{"VITE_MINTBURN_URL=" + s.Base + "/graphql"}, "build", "--", "--outDir", built, "--emptyOutDir")
			npm(t, filepath.Join(root, "web"), []string{"EXAMPLE_NAME=" + name, "EXAMPLE_URL=" + site.URL, "MINTBURN_URL=" + s.Base + "/"}, "test:examples")
		})
	}
}

// TestExamples_Live opens the page of examples/live, and the page's tab with a subscription, in
// Chromium.
func TestExamples_Live(t *testing.T) {
	t.Parallel()
	neededPage(t)
	neededBrowser(t)
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(root, "examples", "live"))))
	defer site.Close()
	npm(t, filepath.Join(root, "web"), append(newLive(t).environment(), "EXAMPLE_URL="+site.URL), "test:live")
}

// npm runs a script of a package, which must succeed.
func npm(t *testing.T, folder string, env []string, script ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "npm", append([]string{"run", "--silent"}, script...)...)
	command.Dir = folder
	command.Env = append(os.Environ(), env...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm run %s: %v\n%s", script[0], err, output)
	}
}
