package flags

import (
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Prefix begins the name of each environment variable.
const Prefix = "MINTBURN_"

// PerCommand are the flags whose meaning differs by command, such as blocks to index
// and blocks to export. Only MINTBURN_COMMAND_FLAG sets them.
var PerCommand = []string{"from-block", "to-block", "contract", "after", "address", "account"}

// testVariables are read only by this project's tests.
var testVariables = []string{"MINTBURN_ALERTS", "MINTBURN_ARCHIVES", "MINTBURN_BACKUPS", "MINTBURN_CHAINS", "MINTBURN_COLLECTOR", "MINTBURN_DEB", "MINTBURN_HOWTO", "MINTBURN_PARQUET", "MINTBURN_PARTITION", "MINTBURN_PATRONI", "MINTBURN_POOLED", "MINTBURN_POSTGRES_BIN", "MINTBURN_RECORDS", "MINTBURN_RELEASE", "MINTBURN_REQUIRE_ALL", "MINTBURN_SEED", "MINTBURN_SOAK", "MINTBURN_STANDBYS", "MINTBURN_STEPS", "MINTBURN_TUTORIAL", "MINTBURN_UPGRADE", "MINTBURN_URL"}

// Variable returns the environment variable whose name consists of words.
func Variable(words ...string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(strings.Join(words, "_"), "-", "_"))
}

// NameVariables names the environment variables of each flag: MINTBURN_COMMAND_FLAG and,
// unless the meaning differs by command, MINTBURN_FLAG. The first that is set wins. It also
// makes flags trim their values.
func NameVariables(k *kong.Kong) error {
	for _, node := range append([]*kong.Node{k.Model.Node}, k.Model.Children...) {
		for _, flag := range node.Flags {
			if flag.Name == "help" || flag.Name == "version" {
				continue
			}
			var names []string
			if node.Type == kong.CommandNode {
				names = append(names, Variable(node.Name, flag.Name))
			}
			if !slices.Contains(PerCommand, flag.Name) {
				names = append(names, Variable(flag.Name))
			}
			flag.Envs, flag.Tag.Envs = names, names
		}
		trimValues(node)
	}
	return nil
}

// HelpText returns a flag's help with its shortest environment variable.
func HelpText(value *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(value)
	if names := value.Tag.Envs; len(names) > 1 {
		text = strings.Replace(text, "$"+names[0]+", ", "", 1)
	}
	return text
}

// OddVariable is the name of a MINTBURN_… variable that a command does not read. want is the name
// that it reads instead, "" for a variable that no command reads.
type OddVariable struct{ Name, Want string }

// OddVariables returns the MINTBURN_… variables that no command reads, and general variables for
// the command's flags in [PerCommand].
func OddVariables(model *kong.Application, command *kong.Node) (odd []OddVariable) {
	var known []string
	for _, node := range append([]*kong.Node{model.Node}, model.Children...) {
		for _, flag := range node.Flags {
			known = append(known, flag.Envs...)
		}
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, Prefix) || slices.Contains(known, name) || slices.Contains(testVariables, name) {
			continue
		}
		i := slices.IndexFunc(PerCommand, func(flag string) bool { return Variable(flag) == name })
		switch {
		case i < 0:
			odd = append(odd, OddVariable{Name: name})
		case slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == PerCommand[i] }):
			odd = append(odd, OddVariable{name, Variable(command.Name, PerCommand[i])})
		}
	}
	return odd
}

// WarnOfVariables warns about the [OddVariables].
func WarnOfVariables(model *kong.Application, command *kong.Node, log *slog.Logger) {
	for _, v := range OddVariables(model, command) {
		if v.Want == "" {
			log.Warn("unknown environment variable", "name", v.Name)
		} else {
			log.Warn("environment variable ignored: its meaning differs by command", "name", v.Name, "want", v.Want)
		}
	}
}
