package command_test

import (
	"path/filepath"
	"testing"
)

// TestClients runs web/clients against the demo: the npm packages that front
// ends use, and the tools that they check the schema with.
func TestClients(t *testing.T) {
	clients := filepath.Join(root, "web", "clients")
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(clients, "node_modules", "relay-compiler"))
	s := start(t, "demo")
	npm(t, clients, []string{"MINTBURN_URL=" + s.base + "/"}, "test")
}
