package command

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/process"
)

type manCommand struct{}

// Run prints the manual page: mintburn man | man -l -.
func (manCommand) Run(e *process.Env, line *kong.Context) error {
	return writeManual(e.Stdout, line.Model)
}

// writeManual writes the manual page in mdoc(7).
func writeManual(w io.Writer, model *kong.Application) error {
	var b strings.Builder
	line := func(macro string, words ...string) {
		b.WriteString("." + strings.Join(append([]string{macro}, words...), " ") + "\n")
	}
	text := func(s string) { b.WriteString(manText(s) + "\n") }
	flags := func(list []*kong.Flag) {
		line("Bl", "-tag", "-width", "Ds")
		for _, flag := range list {
			writeFlag(line, flag)
			text(manSentence(kong.DefaultHelpValueFormatter(withoutVariables(flag))))
			if len(flag.Envs) > 0 {
				text("Environment: " + strings.Join(flag.Envs, ", ") + ".")
			}
		}
		line("El")
	}
	description, environment, _ := strings.Cut(model.Help, "\n\n")
	// No date, so that the page depends on the program only.
	line("Dd", "$Mdocdate$")
	line("Dt", "MINTBURN", "1")
	line("Os", "Mintburn")
	line("Sh", "NAME")
	line("Nm", "mintburn")
	line("Nd", manText(strings.TrimSuffix(description, ".")))
	line("Sh", "SYNOPSIS")
	line("Nm")
	line("Ar", "command")
	line("Op", "Ar", "flags")
	line("Sh", "DESCRIPTION")
	text(description)
	text("The commands are:")
	line("Bl", "-tag", "-width", "Ds")
	for _, command := range model.Children {
		words := []string{"Cm", command.Name}
		for _, argument := range command.Positional {
			if !argument.Required {
				words = append(words, "Op")
			}
			words = append(words, "Ar", argument.Name)
			if argument.IsCumulative() {
				words = append(words, "...")
			}
		}
		line("It", words...)
		text(command.Help)
	}
	line("El")
	line("Pp")
	text("All commands accept these flags:")
	flags(model.Flags)
	for _, command := range model.Children {
		if len(command.Flags) == 0 && len(command.Positional) == 0 {
			continue
		}
		line("Ss", "mintburn "+command.Name)
		for _, argument := range command.Positional {
			text(manSentence(argument.Name + ": " + kong.DefaultHelpValueFormatter(argument)))
		}
		if len(command.Flags) > 0 {
			flags(command.Flags)
		}
	}
	line("Sh", "ENVIRONMENT")
	text(environment)
	line("Sh", "EXIT STATUS")
	line("Bl", "-tag", "-width", "Ds")
	for _, code := range exitCodes {
		line("It", code.code)
		text(code.when)
	}
	line("El")
	_, err := io.WriteString(w, b.String())
	return err
}

// exitCodes are the exit codes of [Run] and their meanings.
var exitCodes = []struct{ code, when string }{
	{"0", "Success, or a signal ended a command that runs until it is stopped."},
	{"1", "An error."},
	{"2", "Bad arguments."},
	{"3", "A reorg orphaned the cursor of an export."},
	{"130, 143", "SIGINT or SIGTERM stopped a command before it had finished."},
}

// writeFlag writes the heading of a flag's list item.
func writeFlag(line func(string, ...string), flag *kong.Flag) {
	var words []string
	if flag.Short != 0 {
		words = append(words, "Fl", string(flag.Short)+",")
	}
	words = append(words, "Fl", `\&-`+flag.Name)
	if !flag.IsBool() {
		words = append(words, "Ar", manText(flag.FormatPlaceHolder()))
	} else if flag.Tag.Negatable != "" {
		words = append(words, ",", "Fl", `\&-no-`+flag.Name)
	}
	line("It", words...)
}

// withoutVariables returns a copy of a flag's value without environment variables, which
// kong would add to its help.
func withoutVariables(flag *kong.Flag) *kong.Value {
	value, tag := *flag.Value, *flag.Value.Tag
	tag.Envs = nil
	value.Tag = &tag
	return &value
}

// manSentence ends a help text with a full stop.
func manSentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// manText escapes a text for roff and begins each sentence on a new line.
func manText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	text = strings.ReplaceAll(text, ". ", ".\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
