package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestCostHeader checks the header with the cost of each form of a request, and that pages of other
// origins may read it.
func TestCostHeader(t *testing.T) {
	const origin = "https://a.example"
	s := serve(t, origins(origin), func(c *httpapi.Config) { c.Limits.Cost = 100 })
	const query = "{ mints(first: 0) { totalItems } }"
	for name, test := range map[string]struct{ body, want string }{
		"an operation":              {inJSON(query), "40"},
		"nothing":                   {inJSON("{ __typename @skip(if: true) }"), "0"},
		"a batch":                   {apitest.BatchOf(inJSON(query), inJSON("{"), inJSON("{ __typename }")), "41"},
		"an error of a field":       {inJSON(`{ node(id: "x") { id } mints(first: 0) { totalItems } }`), "61"},
		"an operation over limit":   {inJSON("{ " + strings.Repeat("mints(first: 0) { totalItems } ", 3) + "}"), "120"},
		"a batch over limit":        {apitest.BatchOf(inJSON(query), inJSON(query), inJSON(query)), "120"},
		"no operation":              {inJSON("{"), ""},
		"a batch without operation": {apitest.BatchOf(inJSON("{")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Send(t, http.MethodPost, "/graphql", test.body, "Origin", origin)
			expect.Equal(t, "cost", got.Header.Get("Mintburn-Cost"), test.want)
			if exposed := got.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Mintburn-Cost") {
				t.Errorf("exposed: %q", exposed)
			}
		})
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		expect.Equal(t, method, s.Send(t, method, "/graphql?query=%7B__typename%7D", "").Header.Get("Mintburn-Cost"), "1")
	}
	stream := openWire(t, online(t, s).Base, asEvents, inJSON("subscription { changes { cursor } }"))
	expect.Equal(t, "cost of a batch of a subscription", stream.cost, "31")
	expect.Equal(t, "cost of a REST route", s.Send(t, http.MethodGet, "/v1/mints?limit=1", "").Header.Get("Mintburn-Cost"), "")
}

// TestCostHeader_NotModified checks that an answer without a body has its cost.
func TestCostHeader_NotModified(t *testing.T) {
	s := serveStore(t, openStore(t, finalDB(t)))
	const path = "/graphql?query=%7Bmints(block:3)%7BtotalItems%7D%7D"
	var header []string
	for _, want := range []int{http.StatusOK, http.StatusNotModified} {
		got := s.Send(t, http.MethodGet, path, "", header...)
		expect.Equal(t, "cost", got.Header.Get("Mintburn-Cost"), "42")
		expect.Equal(t, "status", got.Status, want)
		header = []string{"If-None-Match", got.Header.Get("ETag")}
	}
}
