//go:build tools

// Package main imports its build tools here, so that go.mod pins their versions.
package main

import (
	_ "entgo.io/ent/entc"
	_ "github.com/99designs/gqlgen"
)
