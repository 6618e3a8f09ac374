package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
)

// CheckOpposites fails if arguments turn an option that the database keeps both on and off.
func CheckOpposites(c *kong.Context, args []string) error {
	given := func(flag string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") })
	}
	for _, f := range c.Selected().Flags {
		if _, kept := f.Target.Interface().(*bool); kept && given("--"+f.Name) && given("--no-"+f.Name) {
			return fmt.Errorf("got --%s and --no-%[1]s, want one of them", f.Name)
		}
	}
	return nil
}

// UsageError returns kong's error as one line.
func UsageError(err error, commands []string) string {
	// If the last flag lacks its value, kong's error names tokens of its parser.
	for begin, end := range map[string]string{": expected": `but got "EOL"`, ": missing value": ""} {
		if flag, rest, found := strings.Cut(err.Error(), begin); found && strings.Contains(rest, end) {
			return flag + " needs a value"
		}
	}
	line := console.OneLine(err)
	// Kong's own errors list at most five commands.
	if name, found := strings.CutPrefix(line, "unexpected argument "); found {
		if selected(err) {
			return "unexpected argument " + console.WithoutSecrets("rpc", name)
		}
		name, _, _ = strings.Cut(name, ",")
		return fmt.Sprintf("unknown command %s: want %s%s", console.WithoutSecrets("rpc", name), strings.Join(commands, ", "), Suggestion(name, commands))
	}
	if strings.HasPrefix(line, "expected one of ") && !selected(err) {
		return "no command: want " + strings.Join(commands, ", ")
	}
	// Kong prefixes an error of Validate with the command's name.
	if name, rest, found := strings.Cut(line, ": "); found && slices.Contains(commands, name) {
		return rest
	}
	return line
}

// selected reports whether a parser's error is about the arguments of a command.
func selected(err error) bool {
	parse := new(kong.ParseError)
	return errors.As(err, &parse) && parse.Context.Selected() != nil
}

// ConfigNote returns a note that the flag of an error was set in the configuration file, or ""
// if it was not.
func ConfigNote(err error, line string) string {
	at := new(kong.ParseError)
	if !errors.As(err, &at) || at.Context == nil {
		return ""
	}
	for _, p := range at.Context.Path {
		if p.Resolved && p.Flag != nil && strings.HasPrefix(line, "--"+p.Flag.Name+":") {
			return " (set in the file of --config)"
		}
	}
	return ""
}
