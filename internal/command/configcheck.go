package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
)

type configCommand struct {
	Action  string `arg:"" enum:"check" help:"Action: ${enum}."`
	File    string `arg:"" help:"Configuration file."`
	Command string `arg:"" optional:"" default:"serve" help:"Command whose flags to print. Default: ${default}."`
}

// Run checks a configuration file. It prints the flags that a command gets from the file
// and the environment, each with its source. The output is a configuration file without
// secrets.
func (c *configCommand) Run(e *process.Env) error {
	var line commandLine
	parser, err := newParser(&line, e.Stdout, e.Stderr)
	if err != nil {
		return err
	}
	names := commandNames(parser.Model)
	i := slices.Index(names, c.Command)
	if i < 0 {
		return &process.ExitError{Code: process.ExitUsage, Err: fmt.Errorf("unknown command %q: want one of %s%s", c.Command, strings.Join(names, ", "), suggestion(c.Command, names))}
	}
	command := parser.Model.Children[i]
	args := []string{c.Command, "--config", c.File}
	for _, argument := range command.Positional {
		if argument.Required {
			// The file does not set arguments.
			args = append(args, append(values(argument), "-")[0])
		}
	}
	if _, err := parser.Parse(args); err != nil {
		return &process.ExitError{Code: process.ExitUsage, Err: errors.New(usageError(err, names))}
	}
	file, err := readConfig(c.File, parser.Model)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "# Flags of mintburn %s.\n", c.Command)
	for _, node := range []*kong.Node{parser.Model.Node, command} {
		for _, flag := range node.Flags {
			if !inConfig(flag) {
				continue
			}
			if value, source := file.effective(node, flag); source != "" {
				fmt.Fprintf(e.Stdout, "%s = %s # %s\n", flag.Name, value, source)
			}
		}
	}
	return nil
}

// effective returns the value of a command's flag, as TOML without secrets, and its source.
// source is "" if the flag has no value.
func (c *configFile) effective(command *kong.Node, flag *kong.Flag) (text, source string) {
	v, ok := c.of(command, flag)
	switch name := variableOf(flag); {
	case name != "":
		return tomlOf(flag, trimmed(flag, os.Getenv(name))), name
	case ok && v.IsList:
		var list []string
		for _, text := range v.Texts {
			list = append(list, tomlOf(flag, text))
		}
		text = "[" + strings.Join(list, ", ") + "]"
	case ok:
		text = tomlOf(flag, v.Texts[0])
	case flag.HasDefault:
		return tomlOf(flag, flag.Default), "default"
	default:
		return "", ""
	}
	return text, fmt.Sprintf("line %d", v.Line)
}

// tomlOf returns the text of a flag's value as TOML, without quotes for numbers and booleans.
func tomlOf(flag *kong.Flag, text string) string {
	typ := flag.Target.Type()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if number := typ.Kind() >= reflect.Bool && typ.Kind() <= reflect.Float64; number && json.Valid([]byte(text)) {
		return text
	}
	// A JSON string is also a TOML string.
	quoted, _ := json.Marshal(console.WithoutSecrets(flag.Name, text))
	return string(quoted)
}
