package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestHowTo_Kubernetes checks that the manifest sets only variables of flags. With
// MINTBURN_HOWTO it also reads it with the types of Kubernetes' API, which it downloads, and
// checks that these find mistakes.
func TestHowTo_Kubernetes(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(root, "ops", "kubernetes.yaml")
	text, err := os.ReadFile(manifest)
	expect.NoError(t, err)
	variables := regexp.MustCompile(`name: (MINTBURN_\w+)`).FindAllStringSubmatch(string(text), -1)
	for _, v := range variables {
		if !strings.Contains(documents(t)["docs/run.md"], "<br>`"+v[1]+"`") {
			t.Errorf("ops/kubernetes.yaml sets %s, which no flag has", v[1])
		}
	}
	if len(variables) < 5 {
		t.Errorf("found %d variables", len(variables))
	}
	if os.Getenv("MINTBURN_HOWTO") == "" {
		return
	}
	program := filepath.Join(t.TempDir(), "kubernetes")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join("testdata", "kubernetes")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	printed, err := exec.CommandContext(t.Context(), program, manifest).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	expect.Equal(t, "kinds", "Secret\nDeployment\nDeployment\nPodDisruptionBudget\nService\n", string(printed))
	for name, mistake := range map[string][2]string{
		"an unknown field":  {"readinessProbe:", "readyProbe:"},
		"another type":      {"replicas: 2", "replicas: two"},
		"another port":      {"{path: /readyz, port: http}", "{path: /readyz, port: api}"},
		"another selector":  {"matchLabels: {app: mintburn, role: server}", "matchLabels: {app: mintburn, role: servers}"},
		"an unknown secret": {"key: rpc}", "key: node}"},
		"an unknown file":   {"key: mintburn.toml,", "key: mintburn,"},
		"an unknown volume": {"- name: config", "- name: secret"},
	} {
		changed := filepath.Join(t.TempDir(), "changed.yaml")
		wrong := strings.Replace(string(text), mistake[0], mistake[1], 1)
		expect.NoError(t, os.WriteFile(changed, []byte(wrong), 0o644))
		if printed, err := exec.CommandContext(t.Context(), program, changed).CombinedOutput(); err == nil || wrong == string(text) {
			t.Errorf("%s: not found: %s", name, printed)
		}
	}
}
