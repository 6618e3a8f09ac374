package command

import (
	"errors"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
)

// parsing returns a parser of arguments, and the chains of what it parses. The flags are those of a chain, if
// one is given.
type parsing func(chains flags.Chains) (*kong.Kong, *flags.Chains, error)

// forChain parses arguments for a chain of the command line that they were parsed for at first, or
// for none, and returns the command. It fails with exit code 2 for flags that are not valid.
func (parse parsing) forChain(args []string, chains *flags.Chains, name string) (command any, err error) {
	parser, own, err := parse(flags.Chains{Chain: name, File: chains.File})
	if err != nil {
		return nil, err
	}
	line, err := parser.Parse(args)
	if err != nil {
		text := own.UsageError(err, flags.CommandNames(parser.Model))
		if name != "" {
			text = "chain " + name + ": " + text
		}
		return nil, &process.ExitError{Code: process.ExitUsage, Err: errors.New(text)}
	}
	return line.Selected().Target.Addr().Interface(), nil
}
