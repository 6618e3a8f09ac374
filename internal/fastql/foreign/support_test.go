package foreign_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/fastql"
	"mintburn/internal/fastql/fasttest"
	"mintburn/internal/fastql/foreign"
)

// fixture holds the fast schema, and the askers of both schemas.
type fixture struct {
	schema             *fastql.Schema
	written, generated fasttest.Asker
}

func newFixture() fixture {
	schema := foreign.NewSchema()
	return fixture{schema, fasttest.NewAsker(schema), fasttest.NewAsker(foreign.NewGenerated())}
}

// ask answers a document with a plan, and fails the test if the answer differs from
// gqlgen's.
func (f fixture) ask(t *testing.T, text string, given map[string]any) *graphql.Response {
	t.Helper()
	got := ask(t, t.Context(), f.written, text, given)
	if diff := cmp.Diff(fasttest.Shown(t, ask(t, t.Context(), f.generated, text, given)), fasttest.Shown(t, got)); diff != "" {
		t.Errorf("%s (-generated +written):\n%s", text, diff)
	}
	return got
}

// calls returns the calls of a document's plan, and the count of each.
func (f fixture) calls(t *testing.T, text string) (calls []string, count map[string]int) {
	t.Helper()
	recorded := &foreign.Calls{}
	ask(t, foreign.WithCalls(t.Context(), recorded), f.written, text, map[string]any{"b": nil})
	count = map[string]int{}
	for _, call := range recorded.List() {
		count[call]++
	}
	return recorded.List(), count
}

func ask(t *testing.T, ctx context.Context, a fasttest.Asker, text string, given map[string]any) *graphql.Response {
	t.Helper()
	document, err := a.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	variables, err := a.Coerce(document, given)
	if err != nil {
		t.Fatal(err)
	}
	return a.Ask(ctx, document, variables)
}
