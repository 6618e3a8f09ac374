package flags

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
)

// Effective returns the value of a command's flag, as TOML without secrets, and its source.
// source is "" if the flag has no value.
func (c *ConfigFile) Effective(command *kong.Node, flag *kong.Flag) (text, source string) {
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
