package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// instruction is an instruction of a Dockerfile, with its arguments on one line.
type instruction struct{ name, args string }

// dockerfile returns the instructions of Dockerfile.
func dockerfile(t *testing.T) (list []instruction) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	expect.NoError(t, err)
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			name, args, _ := strings.Cut(line, " ")
			list = append(list, instruction{name, args})
		}
	}
	return list
}

// brokenRules returns the rules for images that a Dockerfile breaks. Rules with a number are
// hadolint's.
func brokenRules(list []instruction) (broken []string) {
	last := map[string]string{}
	stage := ""
	for _, i := range list {
		if i.name == "FROM" {
			last, stage = map[string]string{}, i.args
			if image, _, _ := strings.Cut(i.args, " "); image != "scratch" && !regexp.MustCompile(`:\d`).MatchString(image) {
				broken = append(broken, "DL3006: an image without a version")
			}
		}
		last[i.name] = i.args
		switch {
		case i.name == "ADD":
			broken = append(broken, "DL3020: ADD in place of COPY")
		case i.name == "MAINTAINER":
			broken = append(broken, "DL4000: MAINTAINER")
		case i.name == "WORKDIR" && !strings.HasPrefix(i.args, "/"):
			broken = append(broken, "DL3000: a relative WORKDIR")
		case i.name == "RUN" && strings.Contains(i.args, "sudo "):
			broken = append(broken, "DL3004: sudo")
		case i.name == "RUN" && strings.HasPrefix(i.args, "cd "):
			broken = append(broken, "DL3003: cd in place of WORKDIR")
		case (i.name == "CMD" || i.name == "ENTRYPOINT") && !strings.HasPrefix(i.args, "["):
			broken = append(broken, "DL3025: "+i.name+" is not JSON")
		}
	}
	if stage != "scratch" {
		broken = append(broken, "the last stage is not empty")
	}
	if !regexp.MustCompile(`^[1-9]\d+:[1-9]\d+$`).MatchString(last["USER"]) {
		broken = append(broken, "DL3002: the user is root, or not a number")
	}
	if !strings.Contains(last["HEALTHCHECK"], `CMD ["/mintburn", "health"]`) {
		broken = append(broken, "DL3055: no health check of ours")
	}
	if last["RUN"] != "" {
		broken = append(broken, "the last stage runs something, and has nothing to run")
	}
	return broken
}

// TestDockerfile_Rules checks that Dockerfile breaks no rule, and that each breach is found.
func TestDockerfile_Rules(t *testing.T) {
	t.Parallel()
	list := dockerfile(t)
	expect.Equal(t, "broken rules", []string(nil), brokenRules(list))
	for _, c := range []struct {
		name, from, to, want string
	}{
		{"FROM", "golang:1.26.9-bookworm AS build", "golang AS build", "DL3006"},
		{"FROM", "golang:1.26.9-bookworm AS build", "golang:latest AS build", "DL3006"},
		{"FROM", "scratch", "debian:12", "the last stage is not empty"},
		{"USER", "65532:65532", "root", "DL3002"},
		{"USER", "65532:65532", "0:0", "DL3002"},
		{"ENTRYPOINT", `["/mintburn"]`, "/mintburn", "DL3025"},
		{"HEALTHCHECK", `CMD ["/mintburn", "health"]`, "NONE", "DL3055"},
		{"WORKDIR", "/src", "src", "DL3000"},
	} {
		changed := slices.Clone(list)
		for i := range changed {
			if changed[i].name == c.name {
				changed[i].args = strings.Replace(changed[i].args, c.from, c.to, 1)
			}
		}
		if broken := brokenRules(changed); !slices.ContainsFunc(broken, func(rule string) bool { return strings.HasPrefix(rule, c.want) }) {
			t.Errorf("%s %s: found %q, want %s", c.name, c.to, broken, c.want)
		}
	}
}

// TestDockerfile_Runs runs the program with the variables of the image.
func TestDockerfile_Runs(t *testing.T) {
	t.Parallel()
	var env []string
	for _, i := range dockerfile(t) {
		switch i.name {
		case "ENV":
			env = strings.Fields(i.args)
		case "CMD":
			expect.Equal(t, "command", `["serve"]`, i.args)
		}
	}
	folder := t.TempDir()
	s, _, _ := startProcess(t, func(process *exec.Cmd) {
		process.Env = []string{"PATH=" + os.Getenv("PATH")}
		for _, variable := range env {
			process.Env = append(process.Env, strings.Replace(variable, "/data", folder, 1))
		}
	}, "--rpc", "http://127.0.0.1:1")
	mustRun(t, "health", "--listen", strings.TrimPrefix(s.Base, "http://"))
	if _, err := os.Stat(filepath.Join(folder, "mintburn.db")); err != nil {
		t.Error(err)
	}
}

// TestUnit_Systemd checks that systemd accepts each line of the unit and rates its exposure
// below 3 of 10, and that the unit starts a command of this program.
func TestUnit_Systemd(t *testing.T) {
	t.Parallel()
	needed(t, "systemd is not installed", func() error {
		_, err := exec.LookPath("systemd-analyze")
		return err
	})
	text, err := os.ReadFile(filepath.Join(root, "ops", "mintburn.service"))
	expect.NoError(t, err)
	started := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindSubmatch(text)
	mustRun(t, append(strings.Fields(string(started[2])), "--help")...)
	analyze := func(changed string, args ...string) error {
		unit := filepath.Join(t.TempDir(), "mintburn.service")
		// The program is not installed here.
		expect.NoError(t, os.WriteFile(unit, []byte(strings.Replace(changed, string(started[1]), "/bin/true", 1)), 0o644))
		said, err := exec.CommandContext(t.Context(), "systemd-analyze", append(args, unit)...).CombinedOutput()
		if err == nil && strings.Contains(string(said), "Unknown ") {
			t.Logf("%s", said)
			return os.ErrInvalid
		}
		return err
	}
	verify, security := []string{"verify", "--man=no"}, []string{"security", "--offline=true", "--threshold=30"}
	expect.NoError(t, analyze(string(text), verify...))
	expect.NoError(t, analyze(string(text), security...))
	if analyze(strings.Replace(string(text), "RestrictRealtime", "RestrictRealTime", 1), verify...) == nil {
		t.Error("a misspelt line was not found")
	}
	if analyze(strings.NewReplacer("CapabilityBoundingSet=", "#", "DynamicUser=yes", "", "SystemCallFilter", "#", "PrivateUsers", "#").Replace(string(text)), security...) == nil {
		t.Error("an exposed unit was not found")
	}
}
