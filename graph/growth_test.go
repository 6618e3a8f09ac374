package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintburn/graph"
	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// bound ends answers that exceed a number of bytes.
type bound struct {
	most int
	// sizes holds the size at each call. then runs after each call.
	sizes []int
	then  func()
}

// Grow implements [fastql.Growth].
func (g *bound) Grow(size, capacity int) error {
	if g.sizes = append(g.sizes, size); capacity < size {
		return errors.New("a buffer is smaller than what is in it")
	}
	if g.then != nil {
		g.then()
	}
	if size > g.most {
		return apierror.Errorf(apierror.RateLimited, "too long")
	}
	return nil
}

// Hold implements [fastql.Growth].
func (*bound) Hold(int64) (excess int64, err error) { return 0, nil }

// long are documents with long answers: objects with many fields, lists, nested lists, values
// that are loaded together, and fields that gqlgen's executor answers.
var long = map[string]string{
	"fields":                     "{ mints(first: 1) { data { " + apitest.Repeat(50, func(i int) string { return fmt.Sprintf("%s%d: blockHash ", strings.Repeat("f", 4_000), i) }) + "} } }",
	"list":                       "{ mints(first: 1000) { data { id blockHash transactionHash from to } } }",
	"edges":                      "{ mints(first: 1000) { edges { node { id blockHash transactionHash from to } } } }",
	"inner list":                 "{ mints(first: 1000) { data { metadata { attributes { " + strings.Repeat("k", 128) + ": value " + strings.Repeat("l", 128) + ": value } } } } }",
	"root fields":                "{ " + apitest.Repeat(100, func(i int) string { return fmt.Sprintf("a%d: mints(first: 100) { data { id blockHash } } ", i) }) + "}",
	"unset Boolean":              `query($unset: Boolean) { __type(name: "Mint") { fields(includeDeprecated: $unset) { name } } mints(first: 1000) { data { id blockHash transactionHash } } }`,
	"one field of introspection": "{ __schema { " + apitest.Repeat(10, func(i int) string { return fmt.Sprintf("a%d: types { description fields { description } } ", i) }) + "} }",
	"introspection": "{ " + apitest.Repeat(10, func(i int) string {
		return fmt.Sprintf("a%d: __schema { types { description fields { description } } } ", i)
	}) + "}",
}

// TestGrowth checks that an answer ends at its bound, with one error and no data.
func TestGrowth(t *testing.T) {
	s := open(t)
	list := blocks(100, 1)
	apply(t, s, list)
	describe(t, s, list)
	a := newAsker(s, graph.NewSchema(s.MaxPageSize(), now))
	for name, text := range long {
		t.Run(name, func(t *testing.T) {
			document, err := a.Parse(text)
			expect.NoError(t, err)
			whole := &bound{most: 1 << 30}
			got := a.Ask(fastql.WithOperation(t.Context(), nil, whole), document, nil)
			size := len(got.Data)
			if len(got.Errors) > 0 || size < 150_000 {
				t.Fatalf("%d bytes, %v", size, got.Errors)
			}
			last, before := 0, 0
			for _, n := range whole.sizes {
				if n-before > 48<<10 {
					t.Errorf("%d bytes are written unasked", n-before)
				}
				last, before = n, n
			}
			if last != size {
				t.Errorf("asked for %d bytes at last, want %d", last, size)
			}
			for _, most := range []int{0, 100_000, size - 1} {
				g := &bound{most: most}
				got := a.Ask(fastql.WithOperation(t.Context(), nil, g), document, nil)
				if string(got.Data) != "null" || len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != apierror.RateLimited {
					t.Errorf("at most %d: %.100s, %v", most, got.Data, got.Errors)
				}
				if written := g.sizes[len(g.sizes)-1]; written > most+48<<10 {
					t.Errorf("at most %d: %d bytes were written", most, written)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			g := &bound{most: 1 << 30, then: cancel}
			got = a.Ask(fastql.WithOperation(ctx, nil, g), document, nil)
			if len(g.sizes) > 1 || got != nil && (len(got.Errors) == 0 || got.Errors[0].Extensions["code"] != apierror.Timeout) {
				t.Errorf("asked %d times after the time was over: %v", len(g.sizes)-1, got)
			}
		})
	}
}

// TestGrowth_Generated checks that an answer that gqlgen's executor returns as a whole is
// bounded once it exists.
func TestGrowth_Generated(t *testing.T) {
	s := open(t)
	apply(t, s, blocks(10, 1))
	a := newAsker(s, graph.NewSchema(s.MaxPageSize(), now))
	// A plan supports at most 64 Boolean variables.
	document, err := a.Parse("query(" + apitest.Repeat(65, func(i int) string { return fmt.Sprintf("$b%d: Boolean ", i) }) +
		") { __type(name: \"Mint\") { " + apitest.Repeat(65, func(i int) string { return fmt.Sprintf("f%d: fields(includeDeprecated: $b%d) { name } ", i, i) }) + "} }")
	expect.NoError(t, err)
	got := a.Ask(fastql.WithOperation(t.Context(), nil, &bound{most: 1_000}), document, nil)
	if string(got.Data) != "null" || len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != apierror.RateLimited {
		t.Errorf("%.100s, %v", got.Data, got.Errors)
	}
}
