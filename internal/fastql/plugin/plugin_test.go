package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the folder of the module.
const root = "../../.."

// schemas are the folders with a gqlgen.yml, and those of the files that are
// generated from it.
var schemas = map[string]string{".": "graph", "internal/fastql/foreign": "internal/fastql/foreign"}

// TestGenerated_IsUpToDate generates the committed files anew, in a copy of what
// the generator reads of the module.
func TestGenerated_IsUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs the generator")
	}
	there := t.TempDir()
	copyModule(t, there)
	generator := filepath.Join(there, "gqlgen")
	run(t, root, "go", "build", "-o", generator, "./internal/fastql/plugin/gqlgen")
	for folder, output := range schemas {
		for _, name := range []string{"fast_gen.go", "generated.go", "models_gen.go"} {
			if err := os.Remove(filepath.Join(there, output, name)); err != nil {
				t.Fatal(err)
			}
		}
		run(t, filepath.Join(there, folder), generator)
		for _, name := range []string{"fast_gen.go", "generated.go", "models_gen.go"} {
			path := filepath.Join(output, name)
			if diff := cmp.Diff(read(t, filepath.Join(root, path)), read(t, filepath.Join(there, path))); diff != "" {
				t.Errorf("%s is not what is generated: run go generate ./... (-committed +generated):\n%s", path, diff)
			}
		}
	}
}

// copyModule copies what the schemas are bound to, and the schemas.
func copyModule(t *testing.T, to string) {
	t.Helper()
	for _, folder := range []string{"ent", "graph", "internal"} {
		if err := os.CopyFS(filepath.Join(to, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "gqlgen.yml", "schema.graphqls"} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(read(t, filepath.Join(root, name))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program without a network, and returns its output.
func run(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	var complaint strings.Builder
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", program, args, err, complaint.String())
	}
	return string(output)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
