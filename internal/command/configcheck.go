package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	Action  string `arg:"" enum:"check" help:"What to do: ${enum}."`
	File    string `arg:"" help:"File of flags."`
	Command string `arg:"" optional:"" default:"serve" help:"Command whose flags to print; ${default} unless given."`
}

// Run checks a file and prints the flags that a command has with it and the present
// environment, each with where it is from: as a file of flags, but without secrets.
func (c *configCommand) Run(e *env) error {
	var line commandLine
	parser, err := newParser(&line, e.stdout, e.stderr)
	if err != nil {
		return err
	}
	names := commandNames(parser.Model)
	i := slices.Index(names, c.Command)
	if i < 0 {
		return &exitError{exitUsage, fmt.Errorf("unknown command %q: want one of %s", c.Command, strings.Join(names, ", "))}
	}
	command := parser.Model.Children[i]
	args := []string{c.Command, "--config", c.File}
	for _, argument := range command.Positional {
		if argument.Required {
			// Arguments are not in the file.
			args = append(args, append(values(argument), "-")[0])
		}
	}
	if _, err := parser.Parse(args); err != nil {
		return &exitError{exitUsage, errors.New(usageError(err, names))}
	}
	file, err := readConfig(c.File, parser.Model)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "# The flags of mintburn %s.\n", c.Command)
	for _, node := range []*kong.Node{parser.Model.Node, command} {
		for _, flag := range node.Flags {
			if !inConfig(flag) {
				continue
			}
			if value, source := file.effective(node, flag); source != "" {
				fmt.Fprintf(e.stdout, "%s = %s # %s\n", flag.Name, value, source)
			}
		}
	}
	return nil
}

// effective returns the value of a command's flag, in TOML and without secrets, and where it
// is from; it is from "" if it has no value.
func (c *configFile) effective(command *kong.Node, flag *kong.Flag) (text, source string) {
	v, ok := c.of(command, flag)
	switch name := variableOf(flag); {
	case name != "":
		return tomlOf(flag, os.Getenv(name)), name
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

// tomlOf returns the text of a flag's value as TOML: numbers and booleans are bare.
func tomlOf(flag *kong.Flag, text string) string {
	typ := flag.Target.Type()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if number := typ.Kind() >= reflect.Bool && typ.Kind() <= reflect.Float64; number && json.Valid([]byte(text)) {
		return text
	}
	// A string of JSON is one of TOML.
	quoted, _ := json.Marshal(withoutSecrets(flag.Name, text))
	return string(quoted)
}

// hidden stands for a part of a URL that may be a secret.
const hidden = "hidden"

// withoutSecrets returns the value of a flag without what may be a secret: in a URL the user,
// the password and the query, and in that of a node the path too.
func withoutSecrets(flag, text string) string {
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return scheme + "://" + hidden
	}
	clean := u.Scheme + "://"
	if u.User != nil {
		clean += hidden + "@"
	}
	clean += u.Host
	switch path := u.EscapedPath(); {
	case flag != "rpc":
		clean += path
	case strings.Trim(path, "/") != "":
		clean += "/" + hidden
	}
	if u.RawQuery != "" || u.Fragment != "" {
		clean += "?" + hidden + "=" + hidden
	}
	return clean
}
