package httpapi_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestSchema checks that GET /schema.graphql returns schema.graphqls if introspection is
// enabled.
func TestSchema(t *testing.T) {
	want, err := os.ReadFile("../../schema.graphqls")
	expect.NoError(t, err)
	s := serve(t)
	got := s.Send(t, http.MethodGet, "/schema.graphql", "")
	expect.Equal(t, "schema", string(want), got.Body)
	expect.Equal(t, "type", "text/plain; charset=utf-8", got.Header.Get("Content-Type"))
	if tag := got.Header.Get("ETag"); !strings.HasPrefix(tag, `W/"`) || got.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("ETag %s, Cache-Control %s", tag, got.Header.Get("Cache-Control"))
	}
	hidden := serve(t, func(c *httpapi.Config) { c.Introspection = false })
	if got := hidden.Send(t, http.MethodGet, "/schema.graphql", ""); got.Status != http.StatusNotFound || strings.Contains(got.Body, "Mint") {
		t.Errorf("without introspection: status %d, %s", got.Status, got.Body)
	}
}

func TestIntrospection_Off(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Introspection = false })
	for _, query := range []string{
		"{ __schema { types { name } } }", `{ __type(name: "Mint") { name } }`, "{ chain { lag } ...F } fragment F on Query { s: __schema { types { name } } }",
	} {
		got := s.Post(t, inJSON(query))
		if e := got.OnlyError(t, "GRAPHQL_VALIDATION_FAILED"); e.Message != "introspection is turned off here" {
			t.Errorf("%s: %s", query, got.Body)
		}
	}
	if got := s.Post(t, inJSON("{ __typename mints(first: 1) { data { __typename } } }")); !strings.Contains(got.Body, `"Mint"`) {
		t.Errorf("__typename: %s", got.Body)
	}
	// Messages must not reveal names of the schema.
	open := serve(t)
	for query, name := range map[string]string{
		"{ mint { page } }":                                   "mints",
		"{ mints(frist: 1) { page } }":                        "first",
		"{ mints { page { x } } }":                            "",
		"{ mints }":                                           "",
		"{ mints(order: ASX) { page } }":                      "ASC",
		"{ ...F } fragment F on Qery { __typename }":          "Query",
		"query($a: Addresss) { mints(address: $a) { page } }": "Address",
		"{ node(id: 1) { blockNumber } }":                     "Transfer",
		"{ mints { data { ... on Mnt { id } } } }":            "",
		"{ mints { data { id @inclde(if: true) } } }":         "",
		"{ mints { pageInfo { hasNextPages } totalItem } }":   "totalItems",
		"{ tokenMetadata { page } }":                          "",
		"{ tokenMetadata(addresss: \"0x\") { page } }":        "",
		"{ mints(address: {a: 1}) { page } }":                 "",
		"{ mints(first: ONE) { page } }":                      "",
		"query($a: Int) { mints(address: $a) { page } }":      "",
		"{ mints { page } mints: burns { page } }":            "",
		"{ mints { ...F } } fragment F on Burn { id }":        "",
		"{ mints { edges { node { id } cursor } dta { id } }": "",
	} {
		said := func(s *apitest.Client) string {
			var messages []string
			for _, e := range s.Post(t, inJSON(query)).Answer(t).Errors {
				messages = append(messages, e.Message)
			}
			return strings.Join(messages, "; ")
		}
		if got := said(s); got == "" || strings.Contains(got, "Did you mean") {
			t.Errorf("%s: %q", query, got)
		}
		if name != "" && !strings.Contains(said(open), name) {
			t.Errorf("%s: with introspection %q does not suggest %s", query, said(open), name)
		}
	}
}
