package foreign_test

import (
	"fmt"
	"strings"
	"testing"
)

// unplanned begins an operation that gqlgen answers as a whole if $b is null.
const unplanned = `query($b: Boolean = true) { __type(name: "Cat") { fields(includeDeprecated: $b) { name } } `

// TestAnswers_EqualGenerated runs an operation for each way that a field can be
// written or fail, and checks the number of root fields that plans leave to gqlgen.
func TestAnswers_EqualGenerated(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		variables map[string]any
		generated int64
	}{
		"error of a list's item":       {text: `{ page(first: 4) { nodes { id boss { id } } } other: page(first: 1) { nodes { id } } }`, generated: 1},
		"null of a list's item":        {text: `{ page(first: 9) { nodes { id } } other: page(first: 1) { nodes { id } } }`, generated: 1},
		"error above a batch field":    {text: `{ page(first: 7) { nodes { boss { twin { id } } } } }`, generated: 1},
		"error below a batch field":    {text: `{ page(first: 4) { nodes { twin { boss { id } } } } }`, generated: 1},
		"error below batched lists":    {text: `{ page(first: 2) { nodes { friends { twin { boss { twin { id } } } friends { boss { twin { id } } } } } } }`, generated: 1},
		"error among an interface":     {text: `{ named(first: 6) { id } }`, generated: 1},
		"error beside one's batch":     {text: `{ named(first: 5) { id ... on Person { twin { id } } } }`, generated: 1},
		"one type's batch field fails": {text: `{ named(first: 4) { id ... on Person { twin(fail: "all") { id } } } }`, generated: 1},
		"one type's fails for some":    {text: `{ named(first: 4) { id ... on Person { twin(fail: "odd") { id } } } }`, generated: 1},
		"batch of an interface":        {text: `{ named(first: 4) { __typename ... on Person { twin { id twin { id } } } } }`},
		"batch field with errors":      {text: `{ page(first: 4) { nodes { twin(fail: "odd") { id } } } }`, generated: 1},
		"batch field with few results": {text: `{ page(first: 4) { nodes { twin(fail: "few") { id } } } }`, generated: 1},
		"batch field fails":            {text: `{ page(first: 4) { nodes { twin(fail: "all") { id } id } } }`, generated: 1},
		"error of a field":             {text: `{ person(id: "p2") { boss { id } } page(first: 1) { nodes { id } } }`, generated: 1},
		"introspection":                {text: `{ named(first: 2) { id } __schema { queryType { name } } __type(name: "Cat") { name } __typename }`, generated: 2},
		"nothing":                      {text: `{ named @skip(if: true) { id } }`},
		"typed nil":                    {text: `{ named(first: 6) { __typename } }`},
		"null of a root resolver":      {text: `{ page(first: null) { nodes { id } } }`, generated: 1},
		"null with one":                {text: `{ person(id: "refused") { id } }`},
		"a result and an error":        {text: `{ person(id: "warned") { id boss { id } } }`, generated: 1},
		"an error with a code":         {text: `{ person(id: "coded") { id } }`, generated: 1},
		"panics":                       {text: `{ a: person(id: "panic") { id } b: page(first: 14) { nodes { id } } c: person(id: "p5") { boss { id } } }`, generated: 3},
		"an argument that is wrong":    {text: `{ named(first: -1) { id } person(id: "p1") { id } }`, generated: 1},
		"a page that cannot be read":   {text: `{ page(first: 13) { nodes { id } } }`, generated: 1},
		"fields twice":                 {text: `{ person(id: "p1") { friends { id } } person(id: "p1") { friends { twin { id } } id } ...F } fragment F on Query { person(id: "p1") { a: id id } }`},
		"what is selected":             {text: `{ person(id: "fields") { id a: id ... on Named { id } } ... { person(id: "fields") { b: id ...F } } } fragment F on Named { c: id }`},
		"literals with variables":      {text: `query($a: String!, $c: Filter!, $d: String) { echo(filter: {also: [$c, {also: {name: $d}}, {name: $a}], name: null}) }`, variables: map[string]any{"a": "x", "c": map[string]any{}}},
		"defaults":                     {text: `{ echo(filter: {also: []}) page { nodes { id } } }`},
		"a variable without a value":   {text: `query($n: String) { echo(filter: {name: $n}) }`},
		"a variable that is null":      {text: `query($n: String, $c: [Filter!]) { echo(filter: {name: $n, also: [{also: $c}]}) }`, variables: map[string]any{"n": nil, "c": nil}},
		"variables that are given":     {text: `query($c: [Filter!], $n: String = "d") { echo(filter: {name: $n, also: $c}) }`, variables: map[string]any{"c": map[string]any{"name": nil}}},
		"a variable for an object":     {text: `query($c: Filter = {name: "d"}) { echo(filter: $c) }`},
		"an argument below the root":   {text: `query($f: String) { person(id: "p3") { twin(fail: $f) { id } boss { id } } }`, variables: map[string]any{"f": "all"}, generated: 1},
		"a Boolean without a value":    {text: `query($odd: Boolean) { __type(name: "Cat") { fields(includeDeprecated: $odd) { name } } }`, generated: 1},
		"a Boolean that may be used":   {text: `query($odd: Boolean = true) { named(first: 1) { id } person(id: "p1") @skip(if: $odd) { id } }`, variables: map[string]any{"odd": true}},
		"a Boolean that is null":       {text: unplanned + "named(first: 1) { id } }", variables: map[string]any{"b": nil}, generated: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			r := f.ask(t, test.text, test.variables)
			t.Logf("%s %v", r.Data, r.Errors)
			if n := f.schema.Generated(); n != test.generated {
				t.Errorf("gqlgen answered %d root fields, want %d", n, test.generated)
			}
		})
	}
}

// TestAnswers_End checks that the handler returns nil after its answer, because
// streams call it until then.
func TestAnswers_End(t *testing.T) {
	for name, text := range map[string]string{"plan": "{ named(first: 1) { id } }", "generated": unplanned + "named(first: 1) { id } }"} {
		f := newFixture()
		document, err := f.written.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		next, ctx := f.written.Start(t.Context(), document, map[string]any{"b": nil})
		if r := next(ctx); !strings.Contains(string(r.Data), `"named":[{"id":"p1"}]`) {
			t.Errorf("%s: got %s %v", name, r.Data, r.Errors)
		}
		if r := next(ctx); r != nil {
			t.Errorf("%s: got a second answer %s", name, r.Data)
		}
	}
}

// TestAnswers_LargePlans checks the bound of a plan. A fragment is compiled for each use.
func TestAnswers_LargePlans(t *testing.T) {
	f := newFixture()
	text := `{ person(id: "p0") { ...F0 } }`
	for i := range 12 {
		text += fmt.Sprintf(" fragment F%d on Person { a: boss { ...F%d } b: boss { ...F%d } }", i, i+1, i+1)
	}
	f.ask(t, text+" fragment F12 on Person { id }", nil)
	if n := f.schema.Generated(); n != 1 {
		t.Errorf("gqlgen answered %d root fields, want 1", n)
	}
	// A plan has at most 4,096 fields.
	for aliases, want := range map[int]int64{4095: 0, 4096: 1} {
		text := "{ person(id: \"p1\") { "
		for i := range aliases {
			text += fmt.Sprintf("a%d: id ", i)
		}
		f := newFixture()
		f.ask(t, text+"boss { id } } }", nil)
		if n := f.schema.Generated(); n != want {
			t.Errorf("%d fields: gqlgen answered %d root fields, want %d", aliases+1, n, want)
		}
	}
}
