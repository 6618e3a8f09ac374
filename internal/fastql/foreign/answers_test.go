package foreign_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnswers_EqualGenerated runs an operation for each way that a field can be
// written or fail, and checks the number of root fields that plans leave to gqlgen.
func TestAnswers_EqualGenerated(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		variables map[string]any
		generated int64
	}{
		"error of a list's item":        {text: `{ people(ids: ["p1", "p2", "p3"]) { id fails } today }`, generated: 1},
		"null of a list's item":         {text: `{ people(ids: ["p1", "p99"]) { id } today }`, generated: 1},
		"error above a batch field":     {text: `{ page(first: 7) { edges { node { boss { score } } } } }`, generated: 1},
		"error below a batch field":     {text: `{ page(first: 7) { nodes { badge { issuer { id } } } } }`, generated: 1},
		"error below lists of lists":    {text: `{ grid(rows: [[], ["p1"], ["p2", "p1"], ["p3", "p4"]]) { boss { score } } }`, generated: 1},
		"error below a batched list":    {text: `{ page(first: 5) { nodes { team { boss { score } } } } }`, generated: 1},
		"error among an interface":      {text: `{ animals(ids: ["c1", "d1", "c2", "d2"]) { owner { boss { boss { boss { score } } } } } }`},
		"one type's batch field fails":  {text: `{ animals { id x: tag } }`, generated: 1},
		"batch field with errors":       {text: `{ people(ids: ["p1", "p2", "p3"]) { each(odd: true) } }`, generated: 1},
		"batch field with few results":  {text: `{ maybe(ids: ["p1", "p2"]) { short(by: 1) } }`, generated: 1},
		"batch field fails":             {text: `{ maybe(ids: ["p1", "p2"]) { debts(fail: true) team(fail: true) { id } } }`, generated: 1},
		"batch field of edges fails":    {text: `{ page(first: 2) { edges { node { debts(fail: true) } } } }`, generated: 1},
		"key of two interfaces":         {text: `{ named(id: "p1") { ... on Node { id } ... on Named { id } } today }`},
		"type name of two interfaces":   {text: `{ named(id: "p1") { ... on Node { __typename } ... on Named { name __typename } } }`},
		"arguments in another order":    {text: `{ person(id: "p1") { greet(times: 2, unused: 7, greeting: "Hello") } }`},
		"input from the context":        {text: `{ mapped(filter: {name: "x", factors: {by: 1}}) }`},
		"null of a context marshaler":   {text: `{ person(id: "p0") { fullNote note } }`, generated: 1},
		"null of a marshaler":           {text: `{ person(id: "p0") { fullBlank blank } }`, generated: 1},
		"error of a marshaler":          {text: `{ person(id: "p5") { secret } today }`, generated: 1},
		"error of a marshaler's method": {text: `{ person(id: "p5") { rank } today }`, generated: 1},
		"error of a marshaler, no data": {text: `{ number mustNot }`, generated: 2},
		"scalars and their forms":       {text: `{ person(id: "p2") { spot place key mark code born died salary extra secrets marks grid mood height ratio } today color }`},
		"directive of an operation":     {text: `query @traced { today }`, generated: 1},
		"failing directive":             {text: `query @traced(fail: true) { today }`, generated: 1},
		"directive of a field":          {text: `{ a: today @twice b: today c: person(id: "p1") { id @twice } }`, generated: 2},
		"directives of definitions":     {text: `{ hidden limited(first: 2) echo(flag: true, filter: {factor: {plus: 100}}) }`, generated: 2},
		"failing directive of an input": {text: `{ echo(flag: true, filter: {factor: {plus: 101}}) }`, generated: 1},
		"what the plugin does not bind": {text: `{ color raw { name } gadget { name } level people { nick } page { total } }`, generated: 4},
		"introspection":                 {text: `{ color __schema { queryType { name } } __type(name: "Dog") { name } __typename }`, generated: 2},
		"the query again":               {text: `{ color self { person(id: "p2") { fails } } }`, generated: 1},
		"nothing":                       {text: `{ color @skip(if: true) }`},
		"typed nil":                     {text: `{ a: node(id: "nil") { id } person(id: "p1") { pet { id } things { __typename } } }`},
		"null of a field":               {text: `{ owner(id: "p99") { id } today }`, generated: 1},
		"null of a root resolver":       {text: `{ owner(id: "refused") { id } }`, generated: 1},
		"a result and an error":         {text: `{ owner(id: "warned") { id fails } person(id: "warned") { id } }`, generated: 1},
		"an error with a code":          {text: `{ person(id: "coded") { id } }`, generated: 1},
		"panics":                        {text: `{ a: person(id: "panic") { id } b: page(first: 14) { total } c: person(id: "p3") { panics } d: echo(flag: true, date: 666) }`, generated: 4},
		"an argument that is wrong":     {text: `{ echo(flag: true, date: 9999) person(id: "p1") { friends(skip: -1) { id } } }`, generated: 2},
		"a page that cannot be read":    {text: `{ book(first: 13) { total } page(first: 0) { total } }`, generated: 2},
		"fields twice":                  {text: `{ person(id: "p1") { home { street } } person(id: "p1") { home { number } id } ...F } fragment F on Query { person(id: "p1") { name id } }`},
		"what is selected":              {text: `{ person(id: "fields") { id a: name ... on Named { id } } ... { person(id: "fields") { b: name ...F } } } fragment F on Node { c: id }`},
		"literals with variables":       {text: `query($a: Int!, $b: [Int], $c: Filter, $d: Int) { echo(flag: true, numbers: [[$a, 2], $b], filter: {also: [$c, {limits: [[$d]]}], factor: {by: $a, plus: $d}}, list: []) }`, variables: map[string]any{"a": 1}},
		"variables without values":      {text: `query($n: String, $c: Color) { echo(flag: true, filter: {name: $n, color: $c}) }`},
		"variables that are null":       {text: `query($n: String, $c: Color) { echo(flag: true, filter: {name: $n, color: $c}) }`, variables: map[string]any{"n": nil, "c": nil}},
		"variables that are given":      {text: `query($b: [Int], $c: Filter, $d: Int = 7) { echo(flag: false, numbers: [$b], filter: {also: [$c], factor: {plus: $d}}) }`, variables: map[string]any{"b": 3, "c": map[string]any{"color": nil}}},
		"a variable for an object":      {text: `query($c: Filter = {name: "d"}, $l: Level = LOW) { echo(flag: true, filter: $c, level: $l, list: {color: null, factors: {by: 5}}, json: [{a: $l}], color: null) }`},
		"an argument below the root":    {text: `query($c: Color, $f: Int) { people { score(of: $c, by: {plus: $f}) friends(first: $f) { id } } }`, variables: map[string]any{"f": 1}},
		"a Boolean without a value":     {text: `query($odd: Boolean) { people { each(odd: $odd) } }`},
		"a Boolean that may be used":    {text: `query($odd: Boolean = true) { today people @skip(if: $odd) { id } }`, variables: map[string]any{"odd": true}},
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

// TestAnswers_LiteralsAreCopied checks that a resolver may change its arguments
// without an effect on later operations.
func TestAnswers_LiteralsAreCopied(t *testing.T) {
	f := newFixture()
	document, err := f.written.Parse(`{ spoiled(extra: {n: 2, list: [3]}) default: spoiled }`)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		want := `{"spoiled":"{\"list\":[3],\"n\":2}","default":"{\"list\":[1],\"n\":1}"}`
		if got := f.written.Ask(t.Context(), document, nil); string(got.Data) != want {
			t.Errorf("got %s, want %s", got.Data, want)
		}
	}
}

// TestAnswers_End checks that the handler returns nil after its answer, because
// streams call it until then.
func TestAnswers_End(t *testing.T) {
	for name, text := range map[string]string{"plan": `{ today }`, "generated": `query @traced { today }`} {
		f := newFixture()
		document, err := f.written.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		next, ctx := f.written.Start(t.Context(), document, nil)
		if r := next(ctx); string(r.Data) != `{"today":"day 7"}` {
			t.Errorf("%s: got %s %v", name, r.Data, r.Errors)
		}
		if r := next(ctx); r != nil {
			t.Errorf("%s: got a second answer %s", name, r.Data)
		}
	}
}

// TestAnswers_Mutation checks that the results of mutations are read too.
func TestAnswers_Mutation(t *testing.T) {
	f := newFixture()
	r := f.ask(t, `mutation { turn { total nodes { badge { title } } } rename(id: "p1", name: "Q") { name } none: rename(id: "x", name: "Q") { name } }`, nil)
	if !strings.Contains(string(r.Data), `"total":2`) || len(r.Errors) != 1 {
		t.Errorf("got %s %v", r.Data, r.Errors)
	}
}

// TestAnswers_LargePlans checks the bound of a plan. A selection on an interface is
// compiled for each object, at each depth.
func TestAnswers_LargePlans(t *testing.T) {
	f := newFixture()
	f.ask(t, `{ today person(id: "p0") `+strings.Repeat("{ pets { owner ", 28)+"{ id }"+strings.Repeat("} }", 28)+` }`, nil)
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
		f.ask(t, text+"friends { id } } }", nil)
		if n := f.schema.Generated(); n != want {
			t.Errorf("%d fields: gqlgen answered %d root fields, want %d", aliases+1, n, want)
		}
	}
}
