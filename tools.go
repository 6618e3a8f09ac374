//go:build tools

// Package main's build tools, pinned by go.mod.
package main

import (
	_ "entgo.io/ent/entc"
	_ "github.com/99designs/gqlgen"
)
