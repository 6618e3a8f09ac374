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
		"a root resolver":                {`{ person(id: "p1") { id } }`, "Query.person[p1]"},
		"one that fails":                 {`{ person(id: "error") { id } }`, "Query.person[error]"},
		"one that panics":                {`{ person(id: "panic") { id } }`, "Query.person[panic]"},
		"one that refuses":               {`{ owner(id: "refused") { id } }`, "Query.person[refused]"},
		"one of which a field fails":     {`{ person(id: "p2") { fails } }`, "Query.person[p2]"},
		"one of which a field panics":    {`{ person(id: "p3") { panics } }`, "Query.person[p3]"},
		"one of which a field is null":   {`{ person(id: "p0") { fullBlank } }`, "Query.person[p0]"},
		"one of which a batch fails":     {`{ person(id: "p1") { debts(fail: true) } }`, "Query.person[p1]"},
		"one whose list's item fails":    {`{ people(ids: ["p2", "p3"]) { fails } }`, "Query.people[]"},
		"one that gqlgen answers":        {`{ person(id: "p2") { nick } }`, "Query.person[p2]"},
		"one beside one that fails":      {`{ person(id: "p2") { id } mustNot }`, "Query.person[p2]"},
		"a page":                         {`{ page(first: 1) { broken total } }`, "Query.page[1]"},
		"reading a page":                 {`{ page(first: 1) { broken total } }`, "Read[1]"},
		"reading that fails":             {`{ page(first: 13) { total } }`, "Read[13]"},
		"the resolver of what fails":     {`{ page(first: 13) { total } }`, "Query.page[13]"},
		"reading that panics":            {`{ page(first: 14) { total } }`, "Read[14]"},
		"reading, without a plan":        {`query @traced { page(first: 2) { total } }`, "Read[2]"},
		"a field that fails":             {`{ people(ids: ["p1", "p2"]) { fails } }`, "Person.fails[p2]"},
		"the second one that fails":      {`{ people(ids: ["p2", "p3"]) { fails } }`, "Person.fails[p3]"},
		"one that fails, of edges":       {`{ page(first: 7) { edges { node { mustNot } } } }`, "Person.mustNot[p4]"},
		"one that fails above a batch":   {`{ page(first: 7) { edges { node { mood boss { score } } } } }`, "Person.boss[p4]"},
		"one that fails in many lists":   {`{ grid(rows: [["p1"], [], ["p2", "p4"]]) { boss { score } } }`, "Person.boss[p4]"},
		"one that fails of an interface": {`{ animals(ids: ["c1", "d1", "d2"]) { sound ... on Dog { owner { id } } } }`, "Dog.sound[d2]"},
		"one that fails below a batch":   {`{ page(first: 3) { nodes { badge { issuer { id } } } } }`, "Badge.issuer[p2]"},
		"a batch field":                  {`{ page(first: 4) { edges { node { score } } } }`, "Person.score[4]"},
		"a batch field of a list":        {`{ page(first: 4) { nodes { score } } }`, "Person.score[4]"},
		"a batch field of many lists":    {`{ page(first: 3) { nodes { friends(first: 2) { score } } } }`, "Person.score[6]"},
		"a batch field of an interface":  {`{ animals { id owner { id } } }`, "Dog.owner[2]"},
		"a batch field below another":    {`{ page(first: 6) { nodes { badge { holder { id } } } } }`, "Badge.holder[4]"},
		"one below a batch field":        {`{ page(first: 6) { nodes { badge { holder { score } } } } }`, "Person.score[4]"},
		"a batch field that fails":       {`{ page(first: 4) { nodes { debts(fail: true) } } }`, "Person.debts[4]"},
		"one that fails for some":        {`{ page(first: 4) { nodes { each(odd: true) } } }`, "Person.each[4]"},
		"for some, in many lists":        {`{ page(first: 4) { nodes { friends(first: 2) { each(odd: true) } } } }`, "Person.each[8]"},
		"for some, of one":               {`{ person(id: "p3") { each(odd: true) } }`, "Person.each[1]"},
		"one that fails below another":   {`{ page(first: 6) { nodes { badge { holder { debts(fail: true) } } } } }`, "Person.debts[4]"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			f.ask(t, test.text, nil)
			calls, count := f.calls(t, test.text)
			if name, _, _ := strings.Cut(test.call, "["); count[test.call] != 1 || (strings.Contains(test.text, "fail: true") || strings.Contains(test.text, "odd: true")) && slices.ContainsFunc(calls, func(call string) bool { return call != test.call && strings.HasPrefix(call, name+"[") }) {
				t.Errorf("want %s once: got %v", test.call, calls)
			}
		})
	}
}

// TestCalls_RootBeforeFields checks that all results of root resolvers are read before
// anything is written, one after another or by [fastql.Schema.Together], and that the
// function of [fastql.Beside] is called too.
func TestCalls_RootBeforeFields(t *testing.T) {
	const text = `{ a: page(first: 1) { total } b: page(first: 13) { total } person(id: "p2") { fails } c: page(first: 2) { total } }`
	inTurn := []string{"Query.page[1]", "Read[1]", "Query.page[13]", "Read[13]", "Query.person[p2]", "Query.page[2]", "Read[2]"}
	backwards := []string{"Query.page[2]", "Read[2]", "Query.person[p2]", "Query.page[13]", "Read[13]", "Query.page[1]", "Read[1]"}
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
		if calls := recorded.List(); beside != 1 || !slices.Equal(calls, append(want, "Person.fails[p2]")) {
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
	const text = `{ a: page(first: 1) { total } b: page(first: 2) { nodes { fails } } c: page(first: 3) { total } }`
	for failing, calls := range map[string]int{"Query.page[1]": 1, "Read[1]": 2, "Query.page[2]": 3, "Read[2]": 4, "Person.fails[p1]": 8} {
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
		if r := ask(t, t.Context(), f.written, `{ person(id: "error") { id } today }`, nil); string(r.Data) != `{"person":null,"today":"day 7"}` {
			t.Errorf("got %s and errors %v", r.Data, r.Errors)
		}
	}
}
