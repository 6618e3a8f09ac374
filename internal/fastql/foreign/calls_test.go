package foreign_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/fastql"
	"mintburn/internal/fastql/foreign"
)

// TestCalls_Once checks that a failing resolver is not called again when gqlgen reports
// the error, and that a root resolver is not called again when a field below it fails.
func TestCalls_Once(t *testing.T) {
	for name, test := range map[string]struct{ text, call string }{
		"a root resolver":              {`{ person(id: "p1") { id } }`, "Query.person[p1]"},
		"one that fails":               {`{ person(id: "error") { id } }`, "Query.person[error]"},
		"one that panics":              {`{ person(id: "panic") { id } }`, "Query.person[panic]"},
		"one that refuses":             {`{ person(id: "refused") { id } }`, "Query.person[refused]"},
		"one of which a field fails":   {`{ person(id: "p2") { boss { id } } }`, "Query.person[p2]"},
		"one of which a field panics":  {`{ person(id: "p5") { boss { id } } }`, "Query.person[p5]"},
		"one of which a field is null": {`{ person(id: "p6") { friends { id } } }`, "Query.person[p6]"},
		"one of which a batch fails":   {`{ person(id: "p1") { twin(fail: "all") { id } } }`, "Query.person[p1]"},
		"one whose list's item fails":  {`{ named(first: 5) { id } }`, "Query.named[]"},
		"one that gqlgen answers":      {unplanned + `person(id: "p2") { id } }`, "Query.person[p2]"},
		"one beside one that fails":    {`{ person(id: "p2") { id } page(first: null) { nodes { id } } }`, "Query.person[p2]"},
		"a page":                       {`{ page(first: 4) { nodes { boss { id } } } }`, "Query.page[4]"},
		"reading a page":               {`{ page(first: 4) { nodes { boss { id } } } }`, "Read[4]"},
		"reading that fails":           {`{ page(first: 13) { nodes { id } } }`, "Read[13]"},
		"the resolver of what fails":   {`{ page(first: 13) { nodes { id } } }`, "Query.page[13]"},
		"reading that panics":          {`{ page(first: 14) { nodes { id } } }`, "Read[14]"},
		"reading, without a plan":      {unplanned + `page(first: 2) { nodes { id } } }`, "Read[2]"},
		"a field that fails":           {`{ page(first: 4) { nodes { id boss { id } } } }`, "Person.boss[p2]"},
		"one above a batch":            {`{ page(first: 3) { nodes { id boss { twin { id } } } } }`, "Person.boss[p2]"},
		"one in many lists":            {`{ person(id: "p1") { friends { friends { boss { twin { id } } } } } }`, "Person.boss[p5]"},
		"one of an interface":          {`{ named(first: 5) { ... on Person { twin { id } } id } }`, "Cat.id[2]"},
		"one below a batch":            {`{ page(first: 4) { nodes { twin { boss { id } } } } }`, "Person.boss[p2]"},
		"a batch field":                {`{ page(first: 4) { nodes { twin { id } } } }`, "Person.twin[4]"},
		"a batch field of many lists":  {`{ page(first: 3) { nodes { friends { twin { id } } } } }`, "Person.twin[6]"},
		"a batch field of a type":      {`{ named(first: 4) { id ... on Person { twin { id } } } }`, "Person.twin[2]"},
		"a batch field below another":  {`{ page(first: 6) { nodes { twin { twin { id } } } } }`, "Person.twin[5]"},
		"a batch field that fails":     {`{ page(first: 4) { nodes { twin(fail: "all") { id } } } }`, "Person.twin[4]"},
		"one that fails for some":      {`{ page(first: 4) { nodes { twin(fail: "odd") { id } } } }`, "Person.twin[4]"},
		"for some, in many lists":      {`{ page(first: 4) { nodes { friends { twin(fail: "odd") { id } } } } }`, "Person.twin[8]"},
		"for some, of one":             {`{ person(id: "p3") { twin(fail: "odd") { id } } }`, "Person.twin[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			f.ask(t, test.text, map[string]any{"b": nil})
			calls, count := f.calls(t, test.text)
			if name, _, _ := strings.Cut(test.call, "["); count[test.call] != 1 || strings.Contains(test.text, "twin(fail") && slices.ContainsFunc(calls, func(call string) bool { return call != test.call && strings.HasPrefix(call, name+"[") }) {
				t.Errorf("want %s once: got %v", test.call, calls)
			}
		})
	}
}

// TestCalls_RootBeforeFields checks that all results of root resolvers are read before
// anything is written, one after another or by [fastql.Schema.Together], and that the
// function of [fastql.Beside] is called too.
func TestCalls_RootBeforeFields(t *testing.T) {
	const text = `{ a: page(first: 1) { nodes { id } } person(id: "p2") { boss { id } } b: named(first: 1) { id } c: page(first: 2) { nodes { id } } }`
	inTurn := []string{"Query.page[1]", "Read[1]", "Query.person[p2]", "Query.named[]", "Query.page[2]", "Read[2]"}
	backwards := []string{"Query.page[2]", "Read[2]", "Query.named[]", "Query.person[p2]", "Query.page[1]", "Read[1]"}
	var answers []string
	for _, want := range [][]string{inTurn, backwards} {
		f, recorded, beside := newFixture(), &foreign.Calls{}, 0
		if &want[0] == &backwards[0] {
			f.schema.Together = func(ctx context.Context, n int, _ bool, each func(context.Context, int) error) (failed error) {
				for i := range n {
					failed = cmp.Or(each(ctx, n-1-i), failed)
				}
				return failed
			}
		}
		ctx := fastql.Beside(foreign.WithCalls(t.Context(), recorded), func(context.Context) { beside++ })
		r := ask(t, ctx, f.written, text, nil)
		answers = append(answers, string(r.Data))
		if calls := recorded.List(); beside != 1 || !slices.Equal(calls, append(want, "Person.boss[p2]")) {
			t.Errorf("%d beside, and %v, want %v", beside, calls, want)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("in turn: %s, backwards: %s", answers[0], answers[1])
	}
}

var errOver = errors.New("over")

// TestCalls_Ends checks that an error which ends the operation is its only error, that
// there is no data, and that nothing is called afterwards.
func TestCalls_Ends(t *testing.T) {
	const text = `{ a: page(first: 1) { nodes { id } } b: page(first: 2) { nodes { boss { id } } } c: page(first: 3) { nodes { id } } }`
	for failing, calls := range map[string]int{"Query.page[1]": 1, "Read[1]": 2, "Query.page[2]": 3, "Read[2]": 4, "Person.boss[p1]": 8} {
		f := newFixture()
		f.schema.Ends = func(_ context.Context, err error) bool { return errors.Is(err, errOver) }
		recorded := &foreign.Calls{Fail: func(call string) error {
			if call == failing {
				return errOver
			}
			return nil
		}}
		r := ask(t, foreign.WithCalls(t.Context(), recorded), f.written, text, nil)
		if len(r.Errors) != 1 || r.Errors[0].Message != "over" || string(r.Data) != "null" {
			t.Errorf("%s: got %s and errors %v", failing, r.Data, r.Errors)
		}
		if len(recorded.List()) != calls {
			t.Errorf("%s: got %v, want %d calls", failing, recorded.List(), calls)
		}
		// Any other error belongs to its field.
		if r := ask(t, t.Context(), f.written, `{ person(id: "error") { id } named(first: 1) { id } }`, nil); string(r.Data) != `{"person":null,"named":[{"id":"p1"}]}` {
			t.Errorf("got %s and errors %v", r.Data, r.Errors)
		}
	}
}
