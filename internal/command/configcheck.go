package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
)

type configCommand struct {
	Action  string `arg:"" enum:"check" help:"Action: ${enum}."`
	File    string `arg:"" help:"Configuration file."`
	Command string `arg:"" optional:"" default:"serve" help:"Command whose flags to print. Default: ${default}."`
}

// Run checks a configuration file. It prints the flags that a command gets from the file
// and the environment, each with its source, and then those of each chain. The output is a configuration file without
// secrets.
func (c *configCommand) Run(e *process.Env, parse parsing) error {
	parser, _, err := parse(flags.Chains{})
	if err != nil {
		return err
	}
	names := flags.CommandNames(parser.Model)
	i := slices.Index(names, c.Command)
	if i < 0 {
		return &process.ExitError{Code: process.ExitUsage, Err: errors.New(flags.UnknownCommand(c.Command, names))}
	}
	command := parser.Model.Children[i]
	args := []string{c.Command, "--config", c.File}
	for _, argument := range command.Positional {
		if argument.Required {
			// The file does not set arguments.
			args = append(args, append(flags.Values(argument), "-")[0])
		}
	}
	file, err := flags.ReadConfig(c.File, parser.Model)
	if err != nil {
		return &process.ExitError{Code: process.ExitUsage, Err: err}
	}
	of := flags.Chains{File: file}
	if file.Chains() == nil {
		_, err = parse.forChain(args, &of, "")
	}
	for _, name := range file.Chains() {
		if err == nil {
			_, err = parse.forChain(args, &of, name)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "# Flags of mintburn %s.\n", c.Command)
	for _, node := range []*kong.Node{parser.Model.Node, command} {
		for _, flag := range node.Flags {
			if !flags.InConfig(flag) {
				continue
			}
			if value, source := file.Effective(node, flag); source != "" {
				fmt.Fprintf(e.Stdout, "%s = %s # %s\n", flag.Name, value, source)
			}
		}
	}
	for _, name := range file.Chains() {
		fmt.Fprintf(e.Stdout, "[chains.%s]\n", name)
		for _, flag := range command.Flags {
			if value, source := file.ChainValue(name, parser.Model, flag); source != "" {
				fmt.Fprintf(e.Stdout, "%s = %s # %s\n", flag.Name, value, source)
			}
		}
	}
	return nil
}
