package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// promtool runs Prometheus's tool, which must succeed.
func promtool(t *testing.T, folder string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		chaintest.Absent(t, "prometheus is not installed")
	}
	check := exec.CommandContext(t.Context(), "promtool", args...)
	check.Dir = folder
	if said, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v: %s", args, err, said)
	}
}

// TestAlerts checks that Prometheus accepts the alerts, and that each fires beyond its
// threshold but not at it. The command .ci/long alerts causes their real conditions.
func TestAlerts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, file := range []string{filepath.Join(root, "ops", "alerts.yaml"), filepath.Join("testdata", "alerts_test.yaml")} {
		text, err := os.ReadFile(file)
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o644))
	}
	promtool(t, folder, "check", "rules", "alerts.yaml")
	promtool(t, folder, "test", "rules", "alerts_test.yaml")
}
