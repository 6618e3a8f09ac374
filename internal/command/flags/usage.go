package flags

import (
	"errors"
	"fmt"
	"regexp"
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

// What kong says of its own.
var (
	fromVariable = regexp.MustCompile(` \(from envar (\w+)=.*\)$`)
	notInEnum    = regexp.MustCompile(`^(\S+) must be one of "(.*)" but got (".*")$`)
	noArgument   = regexp.MustCompile(`^expected "<(\w+)>`)
	meant        = regexp.MustCompile(`, did you mean "(\S+)"\?$`)
)

// UsageError returns kong's error as one line. The line says where a wrong value was set, unless it
// is an argument.
func (c *Chains) UsageError(err error, commands []string) string {
	parse := new(kong.ParseError)
	if !errors.As(err, &parse) || parse.Context == nil {
		parse = &kong.ParseError{Context: &kong.Context{}}
	}
	selected := parse.Context.Selected()
	// If a flag lacks its value, kong's error names tokens of its parser.
	for begin, end := range map[string]string{": expected": `but got "EOL"`, ": expected ": "; perhaps try ", ": missing value": ""} {
		if flag, rest, found := strings.Cut(err.Error(), begin); found && strings.Contains(rest, end) {
			return flag + " needs a value"
		}
	}
	line := fromVariable.ReplaceAllString(console.OneLine(err), " (set by $1)")
	line = meant.ReplaceAllString(line, ": did you mean $1?")
	if name, found := strings.CutPrefix(line, "unexpected argument "); found {
		if selected != nil {
			return "unexpected argument " + console.WithoutSecrets("rpc", name)
		}
		name, _, _ = strings.Cut(name, ",")
		name, _, _ = strings.Cut(name, ": did you")
		return UnknownCommand(name, commands)
	}
	if match := notInEnum.FindStringSubmatch(line); match != nil {
		line = fmt.Sprintf("%s: got %s, want %s", match[1], match[3], oneOf(strings.Split(match[2], `","`)))
	}
	if selected == nil {
		if strings.HasPrefix(line, "expected one of ") {
			return "no command: want " + strings.Join(commands, ", ")
		}
		return line
	}
	if match := noArgument.FindStringSubmatch(line); match != nil {
		for _, argument := range selected.Positional {
			if argument.Name == match[1] {
				return fmt.Sprintf("missing <%s>: %s", match[1], wantedArgument(argument))
			}
		}
	}
	// Kong prefixes an error of Validate with the command's name.
	if name, rest, found := strings.Cut(line, ": "); found && name == selected.Name {
		line = rest
	}
	return line + c.setBy(parse.Context, line)
}

// wantedArgument describes an argument: by its values, or by its help.
func wantedArgument(v *kong.Positional) string {
	if accepted := Values(v); accepted != nil {
		return "want " + oneOf(accepted)
	}
	help := strings.TrimSuffix(v.Help, ".")
	if len(help) > 1 && help[1] >= 'a' {
		help = strings.ToLower(help[:1]) + help[1:]
	}
	return help
}

// setBy returns a note that the flag which an error is about was set by a variable or the
// configuration file, or "" if neither set it.
func (c *Chains) setBy(at *kong.Context, line string) string {
	for _, flag := range at.Flags() {
		if !strings.HasPrefix(line, "--"+flag.Name+":") || strings.HasSuffix(line, ")") && strings.Contains(line, " (set by ") {
			continue
		}
		if line := c.lines[flag.Name]; line > 0 {
			return fmt.Sprintf(" (set in line %d of the file of --config)", line)
		}
		for _, p := range at.Path {
			switch {
			case p.Flag != flag:
			case p.Resolved:
				return " (set in the file of --config)"
			default:
				return ""
			}
		}
		if name := variableOf(flag); name != "" {
			return " (set by " + name + ")"
		}
	}
	return ""
}
