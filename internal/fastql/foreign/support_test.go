package foreign_test

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/fastql"
	"mintburn/internal/fastql/foreign"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
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

func ask(t *testing.T, ctx context.Context, a fasttest.Asker, text string, given map[string]any) *graphql.Response {
	t.Helper()
	document, err := a.Parse(text)
	expect.NoError(t, err)
	variables, err := a.Coerce(document, given)
	expect.NoError(t, err)
	return a.Ask(ctx, document, variables)
}
