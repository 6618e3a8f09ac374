package flags

import (
	"slices"
	"strings"

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

// IsDoctor reports whether a command is doctor, which reads flags, variables and file as serve
// would and reports what is wrong with them itself.
func IsDoctor(command *kong.Node) bool { return command != nil && command.Name == "doctor" }
