package command

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// model returns the definitions of commands and flags.
func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := newParser(new(commandLine), io.Discard, io.Discard)
	expect.NoError(t, err)
	return parser.Model
}

// TestFlags_Variables checks that commands with the same variable share one flag, and
// that no two flags share a variable.
func TestFlags_Variables(t *testing.T) {
	t.Parallel()
	first := map[string]*kong.Flag{}
	for _, command := range model(t).Children {
		for _, flag := range command.Flags {
			for _, name := range flag.Envs {
				known, found := first[name]
				if !found {
					first[name] = flag
				} else if known.Name != flag.Name || known.Help != flag.Help {
					t.Errorf("%s is --%s (%s), and --%s (%s) of %s: add it to perCommand", name, known.Name, known.Help, flag.Name, flag.Help, command.Name)
				}
			}
		}
	}
	if len(first) < 50 {
		t.Errorf("%d variables were found", len(first))
	}
}

// TestCompletion_Bash checks the completions that bash offers.
func TestCompletion_Bash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		chaintest.Absent(t, "bash is not installed")
	}
	for line, want := range map[string][]string{
		"mintburn ex":                {"export"},
		"mintburn ":                  flags.CommandNames(model(t)),
		"mintburn export ":           {"mints", "burns", "tokens", "metadata", "documents", "collections", "blocks", "rejected"},
		"mintburn export mints --fo": {"--format"},
		"mintburn help ve":           {"verify", "version"},
		"mintburn serve --no-in":     {"--no-introspection"},
		"mintburn --vers":            {"--version"},
		"mintburn import fil":        nil,
	} {
		words := strings.Split(line, " ")
		script := `source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _mintburn; printf '%s\n' "${COMPREPLY[@]}"`
		process := exec.CommandContext(t.Context(), "bash", append([]string{"-c", script, "bash"}, words...)...)
		var completion bytes.Buffer
		expect.NoError(t, completeBash(&completion, model(t)))
		process.Stdin = &completion
		out, err := process.CombinedOutput()
		if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: completed to %q, want %q (%v)", line, got, want, err)
		}
	}
}

// TestCompletion_AllFlags checks that the zsh and fish scripts contain each flag of each
// command.
func TestCompletion_AllFlags(t *testing.T) {
	t.Parallel()
	for shell, c := range map[string]struct {
		write     func(io.Writer, *kong.Application) error
		pattern   string
		installed []string
	}{
		"zsh":  {completeZsh, `(?m)^\tCOMMAND\) flags='[^']*--FLAG[ ']`, []string{"zsh", "-n"}},
		"fish": {completeFish, `(?m)^complete -c mintburn -n '__fish_seen_subcommand_from COMMAND' -l FLAG `, []string{"fish", "-n"}},
	} {
		var script bytes.Buffer
		expect.NoError(t, c.write(&script, model(t)))
		for _, command := range model(t).Children {
			for _, flag := range command.Flags {
				pattern := strings.NewReplacer("COMMAND", command.Name, "FLAG", flag.Name).Replace(c.pattern)
				if !regexp.MustCompile(pattern).Match(script.Bytes()) {
					t.Errorf("%s: %s --%s is not completed", shell, command.Name, flag.Name)
				}
			}
		}
		if _, err := exec.LookPath(c.installed[0]); err == nil {
			process := exec.CommandContext(t.Context(), c.installed[0], c.installed[1:]...)
			process.Stdin = &script
			if out, err := process.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", shell, err, out)
			}
		}
	}
}
