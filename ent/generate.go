// Package ent is the data layer. All but this file, entc.go, its test, the schema and the
// template is generated from these.
package ent

//go:generate go run entc.go
