package graph_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/graph"
	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
)

// TestPlans_ReadRootFieldsFirst checks that all root fields are read before anything below them,
// in any order, and that the function of [fastql.Beside] is called with them.
func TestPlans_ReadRootFieldsFirst(t *testing.T) {
	f := openFailing(t)
	document, err := f.written.Parse(`{ a: mints(first: 1, partial: true) { totalItems } b: burns(first: 1, partial: true) { cursor } c: collections(first: 1, partial: true) { cursor } }`)
	expect.NoError(t, err)
	roots, answer := []string{"mints", "burns", "contracts", "beside"}, ""
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 1, 0, 2}} {
		f.schema.Together = func(ctx context.Context, _ int, _ bool, each func(context.Context, int) error) (failed error) {
			for _, i := range order {
				failed = cmp.Or(each(ctx, i), failed)
			}
			return failed
		}
		f.sent = nil
		r := f.written.Ask(fastql.Beside(t.Context(), func(context.Context) { f.sent = append(f.sent, "FROM beside") }), document, nil)
		for i, root := range order {
			if !reads(f.sent[i], roots[root]) {
				t.Errorf("%v: statement %d is %s, want that of %s", order, i, f.sent[i], roots[root])
			}
		}
		if len(f.sent) < 5 || answer != "" && answer != string(r.Data) {
			t.Errorf("%v: %d statements; got %s, and before %s", order, len(f.sent), r.Data, answer)
		}
		answer = string(r.Data)
	}
}

// TestPlans_End checks that an error which ends the operation is its only error, that there is
// no data, and that nothing is read afterwards. The context ends at each statement.
func TestPlans_End(t *testing.T) {
	f := openFailing(t)
	document, err := f.written.Parse(`{ a: mints(first: 1, partial: true) { data { id } totalItems } b: burns(first: 1, partial: true) { data { id token { state } } }
		c: mints(first: 2, partial: true) { data { id metadata { name token { id } } } } }`)
	expect.NoError(t, err)
	f.sent = nil
	f.written.Ask(t.Context(), document, nil)
	all := len(f.sent)
	if all < 6 {
		t.Fatalf("%d statements: %v", all, f.sent)
	}
	for last := range all {
		ctx, cancel := context.WithCancel(t.Context())
		f.sent, f.each = nil, func(string) {
			if len(f.sent) == last+1 {
				cancel()
			}
		}
		r := f.written.Ask(ctx, document, nil)
		if len(r.Errors) != 1 || r.Errors[0].Extensions["code"] != apierror.Timeout || string(r.Data) != "null" || len(f.sent) != last+1 {
			t.Errorf("the end at statement %d of %d: got %s, errors %v, after %d statements", last+1, all, r.Data, r.Errors, len(f.sent))
		}
	}
}

// TestPlans_Large checks the bound of a plan, 4,096 fields. A fragment is compiled for each use.
func TestPlans_Large(t *testing.T) {
	f := openFailing(t)
	text := `{ nodes(ids: []) { ... on Mint { ...F0 } } }`
	for i := range 12 {
		text += fmt.Sprintf(" fragment F%d on Mint { a: token { lastMint { ...F%d } } b: token { lastMint { ...F%d } } }", i, i+1, i+1)
	}
	f.ask(t, text+" fragment F12 on Mint { id }", nil)
	if n := f.schema.Generated(); n != 1 {
		t.Errorf("gqlgen answered %d root fields, want 1", n)
	}
	for aliases, want := range map[int]int64{4095: 0, 4096: 1} {
		text, before := "{ chain { ", f.schema.Generated()
		for i := range aliases {
			text += fmt.Sprintf("a%d: lag ", i)
		}
		f.ask(t, text+"head { number } } }", nil)
		if n := f.schema.Generated() - before; n != want {
			t.Errorf("%d fields: gqlgen answered %d root fields, want %d", aliases+1, n, want)
		}
	}
}

// TestPlans_Bounded checks that a document keeps at most 8 plans for each operation,
// however many combinations of Boolean variables a client sends.
func TestPlans_Bounded(t *testing.T) {
	s := open(t)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	a, compile, compiled := newAsker(s, schema), schema.Compile, 0
	schema.Compile = func(c *fastql.Compiler, selections ast.SelectionSet) []fastql.RootField {
		compiled++
		return compile(c, selections)
	}
	for i, want := range map[int]int{8: 8, 9: 18, 32: 64} {
		compiled = 0
		document, err := a.Parse(`query($a: Boolean! $b: Boolean! $c: Boolean! $d: Boolean! $e: Boolean!) {
			chain { a: lag @skip(if: $a) b: lag @skip(if: $b) c: lag @skip(if: $c) d: lag @skip(if: $d) e: lag @skip(if: $e) } }`)
		expect.NoError(t, err)
		for k := range 2 * i {
			n := k % i
			given := map[string]any{"a": n&1 > 0, "b": n&2 > 0, "c": n&4 > 0, "d": n&8 > 0, "e": n&16 > 0}
			if r := a.Ask(t.Context(), document, given); len(r.Errors) > 0 || bytes.Contains(r.Data, []byte(`b"`)) == (n&2 > 0) || bytes.Contains(r.Data, []byte(`e"`)) == (n&16 > 0) {
				t.Errorf("%v: got %s and errors %v", given, r.Data, r.Errors)
			}
		}
		if compiled != want {
			t.Errorf("%d combinations twice: compiled %d times, want %d", i, compiled, want)
		}
	}
}

// TestPlans_Concurrent runs operations concurrently, because all requests share plans and
// buffers.
func TestPlans_Concurrent(t *testing.T) {
	s := open(t)
	values, _ := populate(t, s)
	schema := graph.NewSchema(s.MaxPageSize(), now)
	written, generated := newAsker(s, schema), newAsker(s, graph.NewGenerated(s, now))
	g := &fasttest.Generator{Rand: rand.New(rand.NewPCG(7, 0)), Schema: schema.Schema(), Depth: 6, Values: values, Combinations: filters}
	var all sync.WaitGroup
	for n := 0; n < 100; {
		text, given := g.Operation()
		document, err := written.Parse(text)
		if err != nil {
			continue
		}
		variables, err := written.Coerce(document, given)
		if err != nil {
			continue
		}
		n++
		want := fasttest.Shown(t, generated.Ask(t.Context(), document, variables))
		for range 3 {
			all.Go(func() {
				for range 3 {
					if got := fasttest.Shown(t, written.Ask(t.Context(), document, variables)); !slices.Equal(got, want) {
						t.Errorf("got %s, want %s", got, want)
					}
				}
			})
		}
	}
	all.Wait()
}
