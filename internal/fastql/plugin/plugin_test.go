package plugin_test

import (
	"encoding/json"
	"io"
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

// copyModule copies the packages that the schemas are bound to, and the schemas.
func copyModule(t *testing.T, to string) {
	t.Helper()
	files := []string{"go.mod", "go.sum"}
	var packages []string
	for folder, output := range schemas {
		files = append(files, filepath.Join(folder, "gqlgen.yml"), filepath.Join(folder, "schema.graphqls"))
		packages = append(packages, "./"+output)
	}
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	list := run(t, root, "go", append([]string{"list", "-deps", "-json=Dir,GoFiles,EmbedFiles,Module"}, packages...)...)
	for decoder := json.NewDecoder(strings.NewReader(list)); ; {
		var p struct {
			Dir                 string
			GoFiles, EmbedFiles []string
			Module              *struct{ Main bool }
		}
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		folder, err := filepath.Rel(base, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(p.GoFiles, p.EmbedFiles...) {
			files = append(files, filepath.Join(folder, name))
		}
	}
	for _, path := range files {
		target := filepath.Join(to, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(read(t, filepath.Join(root, path))), 0o644); err != nil {
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
