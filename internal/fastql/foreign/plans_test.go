package foreign_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
)

// random returns n random documents that have plans, and their variables.
func (f fixture) random(t *testing.T, n int) (documents []*fasttest.Document, variables []map[string]any) {
	t.Helper()
	g := &fasttest.Generator{Rand: rand.New(rand.NewPCG(7, 0)), Schema: f.schema.Schema(), Depth: 3, Values: values}
	for len(documents) < n {
		text, given := g.Operation()
		document, err := f.written.Parse(text)
		if err != nil {
			continue
		}
		coerced, err := f.written.Coerce(document, given)
		if err != nil || !fasttest.Booleans(document, coerced) {
			continue
		}
		documents, variables = append(documents, document), append(variables, coerced)
	}
	return documents, variables
}

// TestPlans_Concurrent runs operations concurrently, because all requests share plans
// and buffers.
func TestPlans_Concurrent(t *testing.T) {
	f := newFixture()
	documents, variables := f.random(t, 100)
	var all sync.WaitGroup
	for i, document := range documents {
		want := fasttest.Shown(t, f.generated.Ask(t.Context(), document, variables[i]))
		for range 3 {
			all.Go(func() {
				for range 3 {
					if got := fasttest.Shown(t, f.written.Ask(t.Context(), document, variables[i])); strings.Join(got, "\n") != strings.Join(want, "\n") {
						t.Errorf("got %s, want %s", got, want)
					}
				}
			})
		}
	}
	all.Wait()
}

// TestPlans_Bounded checks that a document keeps at most 8 plans for each operation,
// however many combinations of Boolean variables a client sends.
func TestPlans_Bounded(t *testing.T) {
	f := newFixture()
	compile, compiled := f.schema.Compile, 0
	f.schema.Compile = func(c *fastql.Compiler, selections ast.SelectionSet) []fastql.RootField {
		compiled++
		return compile(c, selections)
	}
	for i, want := range map[int]int{8: 8, 9: 18, 32: 64} {
		compiled = 0
		document, err := f.written.Parse(`query($a: Boolean! $b: Boolean! $c: Boolean! $d: Boolean! $e: Boolean!) {
			person(id: "p1") { a: id @skip(if: $a) b: id @skip(if: $b) c: id @skip(if: $c) d: id @skip(if: $d) e: id @skip(if: $e) } }`)
		expect.NoError(t, err)
		for k := range 2 * i {
			n := k % i
			given := map[string]any{"a": n&1 > 0, "b": n&2 > 0, "c": n&4 > 0, "d": n&8 > 0, "e": n&16 > 0}
			if r := f.written.Ask(t.Context(), document, given); len(r.Errors) > 0 || bytes.Contains(r.Data, []byte("b\"")) == (n&2 > 0) || bytes.Contains(r.Data, []byte("e\"")) == (n&16 > 0) {
				t.Errorf("%v: got %s and errors %v", given, r.Data, r.Errors)
			}
		}
		if compiled != want {
			t.Errorf("%d combinations twice: compiled %d times, want %d", i, compiled, want)
		}
	}
}

// TestStrings compares the escapes of every character with gqlgen's.
func TestStrings(t *testing.T) {
	for c := range 0x300 {
		for _, text := range []string{string(rune(c)), "a" + string(rune(c)) + "b", string([]byte{byte(c)}), "é" + string([]byte{byte(c), byte(c >> 2)})} {
			var want bytes.Buffer
			graphql.MarshalString(text).MarshalGQL(&want)
			if got := fastql.AppendString(nil, text); string(got) != want.String() {
				t.Fatalf("%q: got %s, want %s", text, got, &want)
			}
		}
	}
}
