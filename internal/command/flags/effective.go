package flags

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
	"mintburn/internal/configfile"
)

// Effective returns the value of a command's flag, as TOML without secrets, and its source.
// source is "" if the flag has no value, and for --db beside chains.
func (c *ConfigFile) Effective(command *kong.Node, flag *kong.Flag) (text, source string) {
	v, ok := c.of(command, flag)
	switch name := variableOf(flag); {
	case len(c.chains) > 0 && flag.Name == "db":
		return "", ""
	case name != "":
		return tomlOf(flag, trimmed(flag, os.Getenv(name))), name
	case ok:
		return valueOf(flag, v)
	case flag.HasDefault:
		return tomlOf(flag, flag.Default), "default"
	default:
		return "", ""
	}
}

// ChainValue returns the value of a command's flag in the table of a chain, and its line. source is
// "" if it is not there, or not for this command.
func (c *ConfigFile) ChainValue(chain string, model *kong.Application, flag *kong.Flag) (text, source string) {
	v, ok := c.values[[2]string{configfile.Chains + chain, flag.Name}]
	if !ok || !isChains(model, flag) {
		return "", ""
	}
	return valueOf(flag, v)
}

// valueOf returns a value of the file as TOML, and its line.
func valueOf(flag *kong.Flag, v configfile.Value) (text, source string) {
	source = fmt.Sprintf("line %d", v.Line)
	if !v.IsList {
		return tomlOf(flag, v.Texts[0]), source
	}
	var list []string
	for _, text := range v.Texts {
		list = append(list, tomlOf(flag, text))
	}
	return "[" + strings.Join(list, ", ") + "]", source
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
