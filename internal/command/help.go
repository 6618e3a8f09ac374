package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type helpCommand struct {
	Command string `arg:"" optional:"" help:"Command to explain; all of them unless given."`
}

// Run prints what --help prints.
func (c *helpCommand) Run(line *kong.Context) error {
	args := []string{"--help"}
	if c.Command != "" {
		if names := commandNames(line.Model); !slices.Contains(names, c.Command) {
			return &exitError{exitUsage, fmt.Errorf("unknown command %q: want one of %s", c.Command, strings.Join(names, ", "))}
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

// versionFlag prints the versions and ends the program.
type versionFlag bool

// BeforeReset implements kong's hook.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	if err := printVersions(app.Stdout); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

// Run prints a script that completes commands, flags and their values: for bash and
// zsh, source <(mintburn completion bash); for fish, mintburn completion fish | source.
func (c *completionCommand) Run(e *env, line *kong.Context) error {
	write := map[string]func(io.Writer, *kong.Application) error{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}
	return write[c.Shell](e.stdout, line.Model)
}
