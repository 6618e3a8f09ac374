//go:build ignore

// This program generates package ent, without ent's own migrations: goose runs ours, and
// ent's would bring 46 packages and 5 MB into the program.
package main

import (
	"log"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

func main() {
	storage, err := gen.NewStorage("sql")
	if err != nil {
		log.Fatal(err)
	}
	storage.SchemaMode &^= gen.Migrate
	err = entc.Generate("./schema", &gen.Config{Storage: storage}, entc.FeatureNames("sql/execquery", "sql/modifier"), entc.TemplateDir("./template"))
	if err != nil {
		log.Fatal(err)
	}
}
