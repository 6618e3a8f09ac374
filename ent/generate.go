// Package ent is the data layer: generated from ent/schema, all but this file.
package ent

//go:generate go run -mod=mod entgo.io/ent/cmd/ent generate --feature sql/execquery,sql/modifier --template ./template ./schema
