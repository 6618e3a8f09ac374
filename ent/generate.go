// Package ent is the data layer. All but this file, its test, the schema and the
// template is generated from these.
package ent

//go:generate go run entgo.io/ent/cmd/ent generate --feature sql/execquery,sql/modifier --template ./template ./schema
