package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/process"
)

type helpCommand struct {
	Command string `arg:"" optional:"" help:"Command to describe. Default: all commands."`
}

// Run prints what --help prints.
func (c *helpCommand) Run(line *kong.Context) error {
	args := []string{"--help"}
	if c.Command != "" {
		if names := commandNames(line.Model); !slices.Contains(names, c.Command) {
			return &process.ExitError{Code: process.ExitUsage, Err: fmt.Errorf("unknown command %q: want one of %s%s", c.Command, strings.Join(names, ", "), suggestion(c.Command, names))}
		}
		args = []string{c.Command, "--help"}
	}
	_, err := line.Kong.Parse(args)
	return err
}

// commandNames returns the names of all commands, in the order of the help.
func commandNames(model *kong.Application) (names []string) {
	for _, node := range model.Children {
		names = append(names, node.Name)
	}
	return names
}
