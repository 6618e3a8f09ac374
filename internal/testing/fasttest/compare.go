package fasttest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/testing/expect"
)

// Comparison compares two schemas that have the same resolvers.
type Comparison struct {
	Fast *fastql.Schema
	// Written answers with Fast, and Generated with gqlgen's execution.
	Written, Generated Asker
	Generator          *Generator
	// Steps is the number of operations to compare unless MINTBURN_STEPS is set; with
	// -short, a twentieth of it.
	Steps uint64
}

// Run compares the bytes of the data, and the errors. It also fails if a plan does not
// answer an operation without errors, or if a field of the schema's objects was never
// selected.
func (c Comparison) Run(t *testing.T) {
	t.Helper()
	usual := c.Steps
	if testing.Short() {
		usual /= 20
	}
	steps := expect.Variable(t, "MINTBURN_STEPS", usual)
	compared, failed, generated, invalid := 0, 0, int64(0), map[string]int{}
	seen := coverage{}
	for compared < int(steps) {
		text, given := c.Generator.Operation()
		document, err := c.Written.Parse(text)
		if err != nil {
			invalid[err.Error()]++
			continue
		}
		// Clients send a document again with other values.
		for range 1 + c.Generator.IntN(4) {
			variables, err := c.Written.Coerce(document, given)
			if err != nil {
				break
			}
			got, want := c.Written.Ask(t.Context(), document, variables), c.Generated.Ask(t.Context(), document, variables)
			if diff := cmp.Diff(Shown(t, want), Shown(t, got)); diff != "" {
				t.Fatalf("%s\n%v\n(-generated +written):\n%s", text, variables, diff)
			}
			compared++
			if len(got.Errors) > 0 {
				failed++
			} else if n := c.Fast.Generated() - generated; n > 0 && string(got.Data) != "null" && booleans(document, variables) {
				t.Fatalf("gqlgen answered %d root fields of an operation without errors:\n%s\n%v", n, text, variables)
			}
			generated = c.Fast.Generated()
			for name, value := range given {
				if yes, ok := value.(bool); ok {
					given[name] = yes != c.Generator.Chance(50)
				}
			}
		}
		seen.add(document)
	}
	t.Logf("%d operations, %d with errors, %d root fields answered by gqlgen, %d not valid", compared, failed, generated, len(invalid))
	if steps < c.Steps {
		return
	}
	if failed < compared/20 || failed > compared*2/3 {
		t.Errorf("%d of %d operations have errors: want a twentieth to two thirds", failed, compared)
	}
	for _, field := range seen.missing(c.Generator) {
		t.Errorf("no operation selected %s", field)
	}
}

// booleans reports whether each Boolean variable has a value, and there are few enough of
// them for a plan.
func booleans(document *Document, variables map[string]any) bool {
	n := 0
	return !slices.ContainsFunc(document.Operations[0].VariableDefinitions, func(v *ast.VariableDefinition) bool {
		n++
		return n > 64 || v.Type.NamedType == "Boolean" && variables[v.Variable] == nil
	})
}

// pathIndex matches an index in a path.
var pathIndex = regexp.MustCompile(`,\d+\b`)

// Shown returns the parts of a response to compare. Errors are sorted, because gqlgen runs root
// fields concurrently, and have index 0 in their paths, which gqlgen reports for batch fields of
// lists of structs.
func Shown(t testing.TB, r *graphql.Response) []string {
	t.Helper()
	var errors []string
	for _, e := range r.Errors {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		errors = append(errors, pathIndex.ReplaceAllString(string(text), ",0"))
	}
	slices.Sort(errors)
	return append(errors, string(r.Data), fmt.Sprint(r.HasNext, r.Label, r.Path, r.Extensions))
}
