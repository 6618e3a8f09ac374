package flags

import (
	"slices"
	"strings"

	"mintburn/internal/command/console"

	"github.com/alecthomas/kong"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// CommandNames returns the names of all commands, in the order of the help.
func CommandNames(model *kong.Application) (names []string) {
	for _, node := range model.Children {
		names = append(names, node.Name)
	}
	return names
}

// Values returns the accepted values of an enum flag or argument, nil for others.
func Values(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}

// Suggestion returns a question that suggests up to three known names that resemble name, or "".
func Suggestion(name string, known []string) string {
	known = slices.Compact(slices.Sorted(slices.Values(known)))
	list := core.SuggestionList(name, known)
	if len(list) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(list[:min(len(list), 3)], " or ") + "?"
}

// oneOf joins the values of an enum.
func oneOf(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// UnknownCommand returns the error of a name that no command has: with similar names or, without
// any, all names.
func UnknownCommand(name string, commands []string) string {
	text := "unknown command " + console.WithoutSecrets("rpc", name)
	if similar := Suggestion(name, commands); similar != "" {
		return text + similar
	}
	return text + ": want " + strings.Join(commands, ", ")
}

// IsDoctor reports whether a command is doctor, which reads flags, variables and file as serve
// would and reports what is wrong with them itself.
func IsDoctor(command *kong.Node) bool { return command != nil && command.Name == "doctor" }
