package fastql_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/fastql"
)

// parse returns the selection set of a query on a small schema with the fields a to f.
func parse(t *testing.T, text string) ast.SelectionSet {
	t.Helper()
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: "type Query { a: Query b: Query c: Query d: Query e: Int f: Int } directive @other on FIELD"})
	document, err := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	return document.Operations[0].SelectionSet
}

func TestEachField(t *testing.T) {
	const query = `query($yes: Boolean!, $no: Boolean!) {
		e f @skip(if: $yes) a { e } ... @include(if: $no) { b { e } } ...F ... on Query { c { e } } f2: f @skip(if: false) @include(if: true)
		f3: f @skip(if: false) @include(if: $no)
	} fragment F on Query { d { e } e2: e @skip(if: true) }`
	var names []string
	fastql.EachField(parse(t, query), map[string]any{"yes": true, "no": false}, func(f *ast.Field) { names = append(names, f.Alias) })
	if got := strings.Join(names, " "); got != "e a d c f2" {
		t.Errorf("fields %s, want e a d c f2", got)
	}
}

func TestAnySelection(t *testing.T) {
	set := parse(t, `{ a { ...F } } fragment F on Query { ... @skip(if: false) { b { c { e @other } } } }`)
	for _, test := range []struct {
		field, directive string
		want             bool
	}{{"e", "", true}, {"f", "", false}, {"", "other", true}, {"", "skip", true}, {"", "include", false}} {
		got := fastql.AnySelection(set, func(s ast.Selection, directives ast.DirectiveList) bool {
			f, ok := s.(*ast.Field)
			return ok && f.Name == test.field || directives.ForName(test.directive) != nil
		})
		if got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
