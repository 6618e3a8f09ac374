package command_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	for _, file := range []string{filepath.Join(root, "ops", "alerts.yaml"), filepath.Join(root, "ops", "prometheus.yaml"), filepath.Join("testdata", "alerts_test.yaml")} {
		text, err := os.ReadFile(file)
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o644))
	}
	promtool(t, folder, "check", "config", "prometheus.yaml")
	promtool(t, folder, "test", "rules", "alerts_test.yaml")
}

// TestAlerts_Runbooks checks that each alert leads to its section of docs/fail.md, which a server
// shows, that each section belongs to an alert, and that the links of the dashboard lead there too.
func TestAlerts_Runbooks(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join(root, "ops", "alerts.yaml"))
	expect.NoError(t, err)
	names := alertNames(t)
	sections := regexp.MustCompile(`(?m)^### (\w+)\n\n\w`).FindAllStringSubmatch(section(t, "docs/fail.md", "Alerts"), -1)
	var explained []string
	for _, s := range sections {
		explained = append(explained, s[1])
	}
	expect.Equal(t, "sections", names, explained)
	page := serve(t, importDemo(t)).Send(t, http.MethodGet, "/docs/fail", "").Body
	for _, name := range names {
		if want := `id="` + strings.ToLower(name) + `"`; !strings.Contains(page, want) {
			t.Errorf("/docs/fail has no %s", want)
		}
		if want := `runbook_url: "` + runbook("{{ $labels.instance }}", name) + `"`; !strings.Contains(string(rules), want) {
			t.Errorf("no %s", want)
		}
	}
	board, err := os.ReadFile(filepath.Join(root, "ops", "grafana.json"))
	expect.NoError(t, err)
	links := regexp.MustCompile(`"url": "(.*)"`).FindAllStringSubmatch(string(board), -1)
	if len(links) < 7 {
		t.Errorf("%d links in the dashboard", len(links))
	}
	for _, link := range links {
		if !slices.ContainsFunc(names, func(name string) bool { return link[1] == runbook("${__field.labels.instance}", name) }) {
			t.Errorf("the dashboard links to %s", link[1])
		}
	}
}

// alertNames returns the names of the alerts, in their order.
func alertNames(t *testing.T) (names []string) {
	t.Helper()
	rules, err := os.ReadFile(filepath.Join(root, "ops", "alerts.yaml"))
	expect.NoError(t, err)
	for _, rule := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		names = append(names, rule[1])
	}
	if len(names) < 11 {
		t.Errorf("%d alerts", len(names))
	}
	return names
}

// runbook returns the address of the section about an alert.
func runbook(instance, alert string) string {
	return "http://" + instance + "/docs/fail#" + strings.ToLower(alert)
}
