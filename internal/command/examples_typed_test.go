package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mintburn/internal/testing/expect"
)

// example runs a command of an example against a server, and returns its output.
func (s *server) example(t *testing.T, name, command string, args ...string) string {
	t.Helper()
	process := exec.CommandContext(t.Context(), command, args...)
	process.Dir, process.Env = filepath.Join(root, "examples", name), append(os.Environ(), "MINTBURN_URL="+s.Base+"/graphql")
	process.Stderr = os.Stderr
	out, err := process.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", command, args, err, out)
	}
	return string(out)
}

// TestExamples_TypeScript generates, compiles and runs the clients in examples/typescript.
// Each contains a line that must not compile.
func TestExamples_TypeScript(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the clients from npm")
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(root, "examples", "typescript", "node_modules", "gql.tada"))
	s := start(t, "demo")
	s.example(t, "typescript", "npm", "run", "--silent", "generate")
	s.example(t, "typescript", "npm", "run", "--silent", "build")
	expect.Equal(t, "codegen", "codegen: 3 mints, the last of tokens 135 and 134\n", s.example(t, "typescript", "node", "dist/codegen.js"))
	expect.Equal(t, "gql.tada", "gql.tada: 22 burns, the last in block 792\n", s.example(t, "typescript", "node", "dist/tada.js"))
}

// TestExamples_Go runs the client in examples/go, and checks that its generated code is
// current.
func TestExamples_Go(t *testing.T) {
	t.Parallel()
	skipShort(t, "builds a generator")
	s := start(t, "demo")
	generated := filepath.Join(root, "examples", "go", "generated.go")
	before, err := os.ReadFile(generated)
	expect.NoError(t, err)
	s.example(t, "go", "go", "generate")
	after, err := os.ReadFile(generated)
	expect.NoError(t, err)
	expect.Equal(t, "generated.go", string(before), string(after))
	want := "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9: 202 of 202 mints, 202 with a name\n"
	expect.Equal(t, "example", want, s.example(t, "go", "go", "run", "."))
}
