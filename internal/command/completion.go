package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

// Run prints a script that completes commands, flags and their values: for bash and
// zsh, source <(mintburn completion bash); for fish, mintburn completion fish | source.
func (c *completionCommand) Run(e *process.Env, line *kong.Context) error {
	write := map[string]func(io.Writer, *kong.Application) error{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}
	return write[c.Shell](e.Stdout, line.Model)
}

// flagWords returns the global flags and the flags of a command.
func flagWords(model *kong.Application, command *kong.Node) (words []string) {
	for _, flag := range slices.Concat(model.Flags, command.Flags) {
		words = append(words, "--"+flag.Name)
		if flag.Tag.Negatable != "" {
			words = append(words, "--no-"+flag.Name)
		}
	}
	return words
}

// argumentWords returns the words that complete the arguments of a command.
func argumentWords(model *kong.Application, command *kong.Node) (words []string) {
	if command.Name == "help" {
		return flags.CommandNames(model)
	}
	for _, argument := range command.Positional {
		words = append(words, flags.Values(argument)...)
	}
	return words
}

// completeBash writes the script for bash. Arguments without words complete to file names.
func completeBash(w io.Writer, model *kong.Application) error {
	return completeCases(w, model, `_mintburn() {
	local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} flags= arguments=
	[[ $COMP_CWORD == 1 ]] && command=
	case $command in
%s	esac
	[[ $current == -* ]] && arguments=$flags
	COMPREPLY=($(compgen -W "$arguments" -- "$current"))
}
complete -o default -F _mintburn mintburn
`)
}

// completeZsh writes the script for zsh.
func completeZsh(w io.Writer, model *kong.Application) error {
	return completeCases(w, model, `#compdef mintburn
_mintburn() {
	local command=$words[2] flags= arguments=
	(( CURRENT == 2 )) && command=
	case $command in
%s	esac
	[[ $PREFIX == -* ]] && arguments=$flags
	compadd -- ${=arguments} || _files
}
# zsh runs a file that it found in $fpath as the function, once.
if [[ ${funcstack[1]-} == _mintburn ]]; then _mintburn "$@"; else compdef _mintburn mintburn; fi
`)
}

// completeCases writes script with its %s replaced by a case for each command. The case
// sets flags and arguments to their words, in syntax that bash and zsh share.
func completeCases(w io.Writer, model *kong.Application, script string) error {
	var cases strings.Builder
	add := func(name string, flags, arguments []string) {
		fmt.Fprintf(&cases, "\t%s) flags='%s' arguments='%s' ;;\n", name, strings.Join(flags, " "), strings.Join(arguments, " "))
	}
	add("''", flagWords(model, &kong.Node{}), flags.CommandNames(model))
	for _, command := range model.Children {
		add(command.Name, flagWords(model, command), argumentWords(model, command))
	}
	_, err := fmt.Fprintf(w, script, cases.String())
	return err
}

// completeFish writes the script for fish.
func completeFish(w io.Writer, model *kong.Application) error {
	var b strings.Builder
	line := func(when string, parts ...string) {
		fmt.Fprintf(&b, "complete -c mintburn -n '%s' %s\n", when, strings.Join(parts, " "))
	}
	flagLines := func(when string, list []*kong.Flag) {
		for _, flag := range list {
			parts := []string{"-l " + flag.Name}
			if list := flags.Values(flag.Value); list != nil {
				parts = append(parts, "-x -a "+console.Quoted(strings.Join(list, " ")))
			} else if !flag.IsBool() {
				parts = append(parts, "-r")
			}
			line(when, append(parts, "-d "+console.Quoted(flag.Help))...)
			if flag.Tag.Negatable != "" {
				line(when, "-l no-"+flag.Name)
			}
		}
	}
	flagLines("true", model.Flags)
	for _, command := range model.Children {
		line("__fish_use_subcommand", "-f -a "+command.Name, "-d "+console.Quoted(command.Help))
		when := "__fish_seen_subcommand_from " + command.Name
		if words := argumentWords(model, command); words != nil {
			line(when, "-f -a "+console.Quoted(strings.Join(words, " ")))
		}
		flagLines(when, command.Flags)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
