package command

import (
	"errors"
	"slices"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
)

type helpCommand struct {
	Command string `arg:"" optional:"" help:"Command to describe. Default: all commands."`
}

// Run prints what --help prints.
func (c *helpCommand) Run(line *kong.Context) error {
	args := []string{"--help"}
	if c.Command != "" {
		if names := flags.CommandNames(line.Model); !slices.Contains(names, c.Command) {
			return &process.ExitError{Code: process.ExitUsage, Err: errors.New(flags.UnknownCommand(c.Command, names))}
		}
		args = []string{c.Command, "--help"}
	}
	_, err := line.Kong.Parse(args)
	return err
}
