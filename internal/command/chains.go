package command

import (
	"errors"
	"io"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
)

// parsing returns a parser of arguments, and the flags that it sets. They are those of a chain, if
// one is given.
type parsing func(chains flags.Chains) (*kong.Kong, *commandLine, error)

// parsingTo returns a parser that prints help to these.
func parsingTo(stdout, stderr io.Writer) parsing {
	return func(chains flags.Chains) (*kong.Kong, *commandLine, error) {
		line := commandLine{chains: chains}
		parser, err := newParser(&line, stdout, stderr)
		return parser, &line, err
	}
}

// forChain parses arguments for a chain of the command line that they were parsed for at first, or
// for none. It fails with exit code 2 for flags that are not valid.
func (parse parsing) forChain(args []string, chains *flags.Chains, name string) (*commandLine, error) {
	parser, line, err := parse(flags.Chains{Chain: name, File: chains.File})
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(args); err != nil {
		text := line.chains.UsageError(err, flags.CommandNames(parser.Model))
		if name != "" {
			text = "chain " + name + ": " + text
		}
		return nil, &process.ExitError{Code: process.ExitUsage, Err: errors.New(text)}
	}
	return line, nil
}

// chains returns the command for each of its chains, in the order of the file and then of the
// arguments: each with its name, and with the flags of its table and of all chains. Without
// chains it returns c, whose name is "". The default chain is one of the file or the arguments,
// maybe one that --chain leaves out. It fails with exit code 2 for flags that are not valid.
func (c *serveCommand) chains(args []string, parse parsing, chains *flags.Chains) ([]*serveCommand, error) {
	if chains.Names == nil {
		return []*serveCommand{c}, nil
	}
	var all []*serveCommand
	for _, name := range chains.Names {
		line, err := parse.forChain(args, chains, name)
		if err != nil {
			return nil, err
		}
		line.Serve.name = name
		all = append(all, &line.Serve)
	}
	return all, nil
}
