package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestHowTo_Python runs the Python programs of docs/howto.md, in order and in one folder, against
// the demo and its export.
func TestHowTo_Python(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	needed(t, "no Python", func() error {
		_, err := exec.LookPath("python3")
		return err
	})
	s := start(t, "demo")
	folder := t.TempDir()
	mustRun(t, "export", "--db", importDemo(t), "burns", "--format", "csv", "--output", filepath.Join(folder, "burns.csv"))
	blocks, err := fences(documents(t)["docs/howto.md"])
	expect.NoError(t, err)
	ran := 0
	for i, b := range blocks {
		if b.info != "python" {
			continue
		}
		ran++
		process := exec.CommandContext(t.Context(), "python3", "-c", strings.ReplaceAll(b.text, documentedAddress, strings.TrimPrefix(s.Base, "http://")))
		process.Dir, process.Stderr = folder, os.Stderr
		printed, err := process.Output()
		expect.NoError(t, err)
		expect.Equal(t, "output", blocks[i+1].text, string(printed))
	}
	expect.Equal(t, "programs", 2, ran)
}
