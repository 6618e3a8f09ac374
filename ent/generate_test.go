package ent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated_IsWhatTheSchemaGives: the committed code is what ent makes of
// the schema and the template, no more and no less. It is made elsewhere.
func TestGenerated_IsWhatTheSchemaGives(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the generator")
	}
	elsewhere := t.TempDir()
	run := func(folder, name string, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: want what ent makes of the schema: run make generate:\n%.5000s", name, err, output)
		}
	}
	run("..", "sh", "-c", `tar -cf - go.mod go.sum ent/entc.go ent/generate.go ent/schema ent/template internal/evm | tar -xf - -C "$1"`, "sh", elsewhere)
	run(elsewhere, "go", "generate", "./ent")
	// All but what is written by hand.
	run(".", "diff", "-r", "-x", "entc.go", "-x", "generate*.go", "-x", "schema", "-x", "template", filepath.Join(elsewhere, "ent"), ".")
}
