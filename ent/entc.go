//go:build ignore

// This program generates package ent without ent's own migrations, which would add 46
// packages and 5 MB to the binary. goose runs ours.
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
