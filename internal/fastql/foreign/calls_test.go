package foreign_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"mintburn/internal/fastql"
	"mintburn/internal/fastql/foreign"
)

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
