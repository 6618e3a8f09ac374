package command

import (
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// environmentPrefix begins the name of each environment variable.
const environmentPrefix = "MINTBURN_"

// perCommand are the flags whose meaning differs by command, such as blocks to index
// and blocks to export. Only MINTBURN_COMMAND_FLAG sets them.
var perCommand = []string{"from-block", "to-block", "contract", "after", "address", "account"}

// testVariables are read only by this project's tests.
var testVariables = []string{"MINTBURN_ALERTS", "MINTBURN_ARCHIVES", "MINTBURN_BACKUPS", "MINTBURN_COLLECTOR", "MINTBURN_DEB", "MINTBURN_HOWTO", "MINTBURN_PARQUET", "MINTBURN_PARTITION", "MINTBURN_PATRONI", "MINTBURN_POOLED", "MINTBURN_POSTGRES_BIN", "MINTBURN_RELEASE", "MINTBURN_REQUIRE_ALL", "MINTBURN_SEED", "MINTBURN_SOAK", "MINTBURN_STEPS", "MINTBURN_TUTORIAL", "MINTBURN_UPGRADE", "MINTBURN_URL"}

// variable returns the environment variable whose name consists of words.
func variable(words ...string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(strings.Join(words, "_"), "-", "_"))
}

// nameVariables names the environment variables of each flag: MINTBURN_COMMAND_FLAG and,
// unless the meaning differs by command, MINTBURN_FLAG. The first that is set wins. It also
// makes flags trim their values.
func nameVariables(k *kong.Kong) error {
	for _, node := range append([]*kong.Node{k.Model.Node}, k.Model.Children...) {
		for _, flag := range node.Flags {
			if flag.Name == "help" || flag.Name == "version" {
				continue
			}
			var names []string
			if node.Type == kong.CommandNode {
				names = append(names, variable(node.Name, flag.Name))
			}
			if !slices.Contains(perCommand, flag.Name) {
				names = append(names, variable(flag.Name))
			}
			flag.Envs, flag.Tag.Envs = names, names
		}
		trimValues(node)
	}
	return nil
}

// helpText returns a flag's help with its shortest environment variable.
func helpText(value *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(value)
	if names := value.Tag.Envs; len(names) > 1 {
		text = strings.Replace(text, "$"+names[0]+", ", "", 1)
	}
	return text
}

// oddVariable is the name of a MINTBURN_… variable that a command does not read. want is the name
// that it reads instead, "" for a variable that no command reads.
type oddVariable struct{ name, want string }

// oddVariables returns the MINTBURN_… variables that no command reads, and general variables for
// the command's flags in [perCommand].
func oddVariables(model *kong.Application, command *kong.Node) (odd []oddVariable) {
	var known []string
	for _, node := range append([]*kong.Node{model.Node}, model.Children...) {
		for _, flag := range node.Flags {
			known = append(known, flag.Envs...)
		}
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, environmentPrefix) || slices.Contains(known, name) || slices.Contains(testVariables, name) {
			continue
		}
		i := slices.IndexFunc(perCommand, func(flag string) bool { return variable(flag) == name })
		switch {
		case i < 0:
			odd = append(odd, oddVariable{name: name})
		case slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == perCommand[i] }):
			odd = append(odd, oddVariable{name, variable(command.Name, perCommand[i])})
		}
	}
	return odd
}

// warnOfVariables warns about the [oddVariables].
func warnOfVariables(model *kong.Application, command *kong.Node, log *slog.Logger) {
	for _, v := range oddVariables(model, command) {
		if v.want == "" {
			log.Warn("unknown environment variable", "name", v.name)
		} else {
			log.Warn("environment variable ignored: its meaning differs by command", "name", v.name, "want", v.want)
		}
	}
}
