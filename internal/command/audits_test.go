package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAudits runs all audits of the npm package graphql-http, by POST and by
// GET. SPEC: "GraphQL over HTTP".
func TestAudits(t *testing.T) {
	web := filepath.Join(root, "web")
	needed(t, "npm packages are not installed: make assets", func() error {
		_, err := os.Stat(filepath.Join(web, "node_modules", "graphql-http"))
		return err
	})
	s := start(t, "demo")
	audits := exec.CommandContext(t.Context(), "npm", "run", "--silent", "audits")
	audits.Dir = web
	audits.Env = append(os.Environ(), "MINTBURN_URL="+s.base+"/")
	output, err := audits.CombinedOutput()
	if err != nil {
		t.Fatalf("npm run audits: %v\n%s", err, output)
	}
	t.Logf("%s", output)
}
