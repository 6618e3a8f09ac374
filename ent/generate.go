// Package ent is the data layer. Only this file, entc.go, generate_test.go, the schema and
// the template are written by hand; the rest is generated from them.
package ent

//go:generate go run entc.go
