package foreign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql/foreign"
	"mintburn/internal/testing/expect"
)

// unplanned begins an operation that gqlgen answers as a whole if $b is null.
const unplanned = `query($b: Boolean = true) { __type(name: "Cat") { fields(includeDeprecated: $b) { name } } `

// TestAnswers_EqualGenerated runs an operation for each way that a field can be
// written or fail, and checks the number of root fields that plans leave to gqlgen.
// gqlgen must not repeat these calls: those of resolvers that failed, or whose result is
// known, and no other call of a batch field that failed.
func TestAnswers_EqualGenerated(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		variables map[string]any
		generated int64
		calls     string
	}{
		"error of a list's item":       {text: `{ page(first: 4) { nodes { id boss { id } } } other: page(first: 1) { nodes { id } } }`, generated: 1, calls: "Query.page[4] Read[4] Person.boss[p2]"},
		"null of a list's item":        {text: `{ page(first: 9) { nodes { id } } person(id: "p6") { friends { id } } }`, generated: 2, calls: "Query.page[9] Read[9] Query.person[p6]"},
		"error above a batch field":    {text: `{ page(first: 7) { nodes { boss { twin { id } } } } }`, generated: 1, calls: "Person.boss[p2]"},
		"error below a batch field":    {text: `{ page(first: 4) { nodes { twin { boss { id } } } } }`, generated: 1, calls: "Read[4] Person.boss[p2]"},
		"error in many lists":          {text: `{ person(id: "p1") { friends { friends { boss { twin { id } } } } } }`, generated: 1, calls: "Person.boss[p5]"},
		"error below batched lists":    {text: `{ page(first: 2) { nodes { friends { twin { boss { twin { id } } } friends { boss { twin { id } } } } } } }`, generated: 1, calls: "Read[2]"},
		"error among an interface":     {text: `{ named(first: 6) { id } }`, generated: 1, calls: "Query.named[] Cat.id[2]"},
		"error beside one's batch":     {text: `{ named(first: 5) { id ... on Person { twin { id } } } }`, generated: 1, calls: "Query.named[] Cat.id[2]"},
		"one type's batch field fails": {text: `{ named(first: 4) { id ... on Person { twin(fail: "all") { id } } } }`, generated: 1, calls: "Person.twin[2]"},
		"one type's fails for some":    {text: `{ named(first: 4) { id ... on Person { twin(fail: "odd") { id } } } }`, generated: 1, calls: "Person.twin[2]"},
		"batch of an interface":        {text: `{ named(first: 4) { __typename ... on Person { twin { id twin { id } } } } }`, calls: "Query.named[]"},
		"batch field":                  {text: `{ page(first: 6) { nodes { twin { twin { id } } } } }`, calls: "Person.twin[6] Person.twin[5]"},
		"batch field of many lists":    {text: `{ page(first: 3) { nodes { friends { twin { id } } } } }`, calls: "Person.twin[6]"},
		"batch field with errors":      {text: `{ page(first: 4) { nodes { friends { twin(fail: "odd") { id } } } } }`, generated: 1, calls: "Person.twin[8]"},
		"batch field with few results": {text: `{ page(first: 4) { nodes { twin(fail: "few") { id } } } }`, generated: 1, calls: "Read[4]"},
		"batch field fails":            {text: `{ page(first: 4) { nodes { twin(fail: "all") { id } id } } }`, generated: 1, calls: "Person.twin[4]"},
		"batch field of one":           {text: `{ person(id: "p3") { twin(fail: "odd") { id } } }`, generated: 1, calls: "Query.person[p3] Person.twin[1]"},
		"introspection":                {text: `{ named(first: 2) { id } __schema { queryType { name } } __type(name: "Cat") { name } __typename }`, generated: 2, calls: "Query.named[]"},
		"nothing":                      {text: `{ named @skip(if: true) { id } }`},
		"typed nil":                    {text: `{ named(first: 6) { __typename } }`, calls: "Query.named[]"},
		"null of a root resolver":      {text: `query($n: Int) { page(first: $n) { nodes { id } } person(id: "p2") { id } }`, generated: 1, calls: "Query.person[p2]", variables: map[string]any{"n": nil}},
		"a result and an error":        {text: `{ person(id: "warned") { id boss { id } } other: person(id: "refused") { id } }`, generated: 1, calls: "Query.person[warned] Query.person[refused] Person.boss[p2]"},
		"errors":                       {text: `{ a: person(id: "coded") { id } b: person(id: "error") { id } c: page(first: 13) { nodes { id } } }`, generated: 3, calls: "Query.person[coded] Query.person[error] Query.page[13] Read[13]"},
		"panics":                       {text: `{ a: person(id: "panic") { id } b: page(first: 14) { nodes { id } } c: person(id: "p5") { boss { id } } }`, generated: 3, calls: "Query.person[panic] Query.page[14] Read[14] Query.person[p5]"},
		"an argument that is wrong":    {text: `{ named(first: -1) { id } person(id: "p1") { id } }`, generated: 1, calls: "Query.person[p1]"},
		"fields twice":                 {text: `{ person(id: "p1") { friends { id } } person(id: "p1") { friends { twin { id } } id } ...F } fragment F on Query { person(id: "p1") { a: id id } }`, calls: "Query.person[p1]"},
		"what is selected":             {text: `{ person(id: "fields") { id a: id ... on Named { id } } ... { person(id: "fields") { b: id ...F } } } fragment F on Named { c: id }`},
		"literals with variables":      {text: `query($a: String!, $c: Filter!, $d: String) { echo(filter: {also: [$c, {also: {name: $d}}, {name: $a}], name: null}) }`, variables: map[string]any{"a": "x", "c": map[string]any{}}},
		"defaults":                     {text: `{ echo(filter: {also: []}) page { nodes { id } } }`, calls: "Query.page[3]"},
		"a variable without a value":   {text: `query($n: String) { echo(filter: {name: $n}) }`},
		"a variable that is null":      {text: `query($n: String, $c: [Filter!]) { echo(filter: {name: $n, also: [{also: $c}]}) }`, variables: map[string]any{"n": nil, "c": nil}},
		"variables that are given":     {text: `query($c: [Filter!], $n: String = "d") { echo(filter: {name: $n, also: $c}) }`, variables: map[string]any{"c": map[string]any{"name": nil}}},
		"a variable for an object":     {text: `query($c: Filter = {name: "d"}) { echo(filter: $c) }`},
		"an argument below the root":   {text: `query($f: String) { person(id: "p3") { twin(fail: $f) { id } boss { id } } }`, generated: 1, calls: "Query.person[p3]", variables: map[string]any{"f": "all"}},
		"a Boolean without a value":    {text: `query($odd: Boolean) { __type(name: "Cat") { fields(includeDeprecated: $odd) { name } } }`, generated: 1},
		"a Boolean that may be used":   {text: `query($odd: Boolean = true) { named(first: 1) { id } person(id: "p1") @skip(if: $odd) { id } }`, variables: map[string]any{"odd": true}},
		"a Boolean that is null":       {text: unplanned + `page(first: 2) { nodes { id } } person(id: "p2") { id } }`, generated: 1, calls: "Query.page[2] Read[2] Query.person[p2]", variables: map[string]any{"b": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			r := f.ask(t, test.text, test.variables)
			t.Logf("%s %v", r.Data, r.Errors)
			if n := f.schema.Generated(); n != test.generated {
				t.Errorf("gqlgen answered %d root fields, want %d", n, test.generated)
			}
			recorded, count := &foreign.Calls{}, map[string]int{}
			ask(t, foreign.WithCalls(t.Context(), recorded), f.written, test.text, test.variables)
			for _, call := range recorded.List() {
				count[call]++
			}
			for call := range strings.FieldsSeq(test.calls) {
				again := func(other string) bool { return other != call && strings.HasPrefix(other, "Person.twin[") }
				if count[call] != 1 || strings.Contains(test.text, "twin(fail") && strings.HasPrefix(call, "Person.twin[") && slices.ContainsFunc(recorded.List(), again) {
					t.Errorf("want %s once: got %v", call, recorded.List())
				}
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
		expect.NoError(t, err)
		next, ctx := f.written.Start(t.Context(), document, map[string]any{"b": nil})
		if r := next(ctx); !strings.Contains(string(r.Data), `"named":[{"id":"p1"}]`) {
			t.Errorf("%s: got %s %v", name, r.Data, r.Errors)
		}
		if r := next(ctx); r != nil {
			t.Errorf("%s: got a second answer %s", name, r.Data)
		}
	}
}

// TestAnswers_Subscriptions checks that one execution of a subscription has one answer, whose
// failures are those of gqlgen's execution.
func TestAnswers_Subscriptions(t *testing.T) {
	variables, fields := "", ""
	for i := range 65 {
		variables += fmt.Sprintf("$b%d: Boolean = true ", i)
		fields += fmt.Sprintf("a%d: id @skip(if: $b%d) ", i, i)
	}
	many := "subscription(" + variables + `) { person(id: "p1") { id ` + fields + "} }"
	for name, test := range map[string]struct {
		text, data string
		errors     int
		generated  int64
	}{
		"plan":           {text: `subscription { a: person(id: "p1") { id twin { id } } }`, data: `{"a":{"id":"p1","twin":{"id":"p0"}}}`},
		"a fragment":     {text: `subscription { ...F } fragment F on Subscription { person(id: "p1") { id } }`, data: `{"person":{"id":"p1"}}`},
		"error":          {text: `subscription { person(id: "error") { id } }`, data: "null", errors: 1, generated: 1},
		"panic":          {text: `subscription { person(id: "panic") { id } }`, data: "null", errors: 1, generated: 1},
		"error below":    {text: `subscription { person(id: "p3") { id boss { id } } }`, data: `{"person":{"id":"p3","boss":null}}`, errors: 1, generated: 1},
		"null":           {text: `subscription { person(id: "p6") { friends { id } } }`, data: "null", errors: 1, generated: 1},
		"without a plan": {text: many, data: `{"person":{"id":"p1"}}`, generated: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			document, err := f.written.Parse(test.text)
			expect.NoError(t, err)
			given, err := f.written.Coerce(document, nil)
			expect.NoError(t, err)
			next, ctx := f.written.Start(t.Context(), document, given)
			got := next(ctx)
			if string(got.Data) != test.data || len(got.Errors) != test.errors || f.schema.Generated() != test.generated {
				t.Errorf("got %s, %v, %d generated", got.Data, got.Errors, f.schema.Generated())
			}
			for _, e := range got.Errors {
				if e.Path[0] != ast.PathName("person") {
					t.Errorf("got path %s", e.Path)
				}
			}
			if r := next(ctx); r != nil {
				t.Errorf("got a second answer %s", r.Data)
			}
			if r := f.generated.Ask(t.Context(), document, given); string(r.Data) != test.data || len(r.Errors) != test.errors {
				t.Errorf("gqlgen's answer: %s, %v", r.Data, r.Errors)
			}
		})
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
