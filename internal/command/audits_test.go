package command_test

import (
	"path/filepath"
	"testing"
)

// TestAudits runs all audits of the npm package graphql-http, by POST and by
// GET. docs/api.md#graphql-over-http.
func TestAudits(t *testing.T) {
	web := filepath.Join(root, "web")
	neededFile(t, "npm packages are not installed: make assets", filepath.Join(web, "node_modules", "graphql-http"))
	s := start(t, "demo")
	npm(t, web, []string{"MINTBURN_URL=" + s.Base + "/"}, "audits")
}
