package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
)

func TestBatch_SameOrderAsAlone(t *testing.T) {
	s := serve(t)
	var requests, want []string
	for i := range 50 {
		query := fmt.Sprintf("{ mints(first: %d) { limit data { tokenId blockNumber } } }", i)
		if i%3 == 0 {
			query = fmt.Sprintf("{ burns(first: %d, order: DESC) { totalItems data { id } } }", i)
		}
		requests, want = append(requests, inJSON(query)), append(want, s.Post(t, inJSON(query)).Body)
	}
	for _, accept := range []string{asJSON, asResponse} {
		got := s.Post(t, apitest.BatchOf(requests...), "Accept", accept)
		if diff := cmp.Diff(apitest.BatchOf(want...), got.Body); diff != "" || got.Header.Get("Content-Type") != accept+"; charset=utf-8" {
			t.Errorf("%s, %s (-alone +batch):\n%s", accept, got.Header.Get("Content-Type"), diff)
		}
	}
}

// TestBatch_OwnErrors checks that each element has its own errors.
func TestBatch_OwnErrors(t *testing.T) {
	s := serve(t)
	good := inJSON("{ mints(first: 2) { limit } }")
	elements := []struct{ body, code string }{
		{good, ""},
		{inJSON("{"), "GRAPHQL_PARSE_FAILED"},
		{inJSON("{ price }"), "GRAPHQL_VALIDATION_FAILED"},
		{inJSON("{ mints(first: -1) { limit } }"), "BAD_USER_INPUT"},
		{`{"query": 5, "variables": {"a": [1, 2]}}`, "BAD_USER_INPUT"},
		{`{"query": "{ chain { lag } }", "variables": 5}`, "BAD_USER_INPUT"},
		{"17", "BAD_USER_INPUT"},
		{"null", "BAD_USER_INPUT"},
		{"[" + good + "]", "BAD_USER_INPUT"},
		{"{}", "BAD_USER_INPUT"},
		{`{"query": "query($n: Int!) { mints(first: $n) { limit } }"}`, "BAD_USER_INPUT"},
		{`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "00"}}}`, "PERSISTED_QUERY_NOT_FOUND"},
		{good, ""},
	}
	var bodies []string
	for _, e := range elements {
		bodies = append(bodies, e.body)
	}
	list := s.Batch(t, apitest.BatchOf(bodies...))
	if len(list) != len(elements) {
		t.Fatalf("%d answers, want %d", len(list), len(elements))
	}
	for i, e := range elements {
		if e.code != "" {
			list[i].OnlyError(t, e.code)
		} else if want := `{"data":{"mints":{"limit":2}}}`; list[i].Text != want {
			t.Errorf("element %d: %s, want %s", i, list[i].Text, want)
		}
	}
}

func TestBatch_Rejected(t *testing.T) {
	s := serve(t)
	good := inJSON("{ chain { lag } }")
	for name, test := range map[string]struct{ body, code, told string }{
		"empty":         {"[]", "BAD_USER_INPUT", "the batch is empty"},
		"too long":      {apitest.BatchOf(strings.Split(strings.Repeat(good+"\n", 50)+good, "\n")...), "QUERY_TOO_COSTLY", "more than 50 operations"},
		"open":          {"[" + good, "BAD_USER_INPUT", "ends too early"},
		"broken inside": {apitest.BatchOf(good, `{"query": }`), "BAD_USER_INPUT", "not JSON"},
		"with a tail":   {apitest.BatchOf(good) + "]", "BAD_USER_INPUT", "continues after"},
		"a comma":       {"[" + good + ",]", "BAD_USER_INPUT", "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Post(t, test.body)
			e := got.OnlyError(t, test.code)
			if got.Status != 400 || !strings.Contains(e.Message, test.told) {
				t.Errorf("status %d, %q: want 400, %q", got.Status, e.Message, test.told)
			}
		})
	}
}

// TestBatch_OneBudget checks that the cost of a batch is the sum over its operations, and that
// invalid operations keep their own errors.
func TestBatch_OneBudget(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Limits.Cost = 1_000 })
	// 20 + 2 + 20*20 each.
	some := inJSON("{ mints(first: 20) { data { id tokenId from to amount operator timestamp blockTime blockHash blockNumber logIndex " +
		"subIndex tokenAddress contractType transactionHash a: id b: id c: id d: id } } }")
	for n := 1; n <= 4; n++ {
		elements := []string{inJSON("{")}
		for range n {
			elements = append(elements, some)
		}
		for i, a := range s.Batch(t, apitest.BatchOf(elements...)) {
			switch {
			case i == 0:
				a.OnlyError(t, "GRAPHQL_PARSE_FAILED")
			case n <= 2 && len(a.Errors) > 0:
				t.Errorf("%d operations: %s", n, a.Text)
			case n > 2:
				e := a.OnlyError(t, "QUERY_TOO_COSTLY")
				if cost, _ := e.Extensions["cost"].(json.Number); cost.String() != fmt.Sprint(422*n) || a.Data != nil {
					t.Errorf("%d operations: %s", n, a.Text)
				}
			}
		}
	}
}

// TestBatch_Aliases selects many fields in one document.
func TestBatch_Aliases(t *testing.T) {
	s := serve(t)
	var fields []string
	want := map[string]any{}
	for i := range 100 {
		fields = append(fields, fmt.Sprintf("a%d: mints(block: %d) { totalItems }", i, i))
		want[fmt.Sprintf("a%d", i)] = s.Get(t, fmt.Sprintf("{ mints(block: %d) { totalItems } }", i), "")["mints"]
	}
	if diff := cmp.Diff(want, s.Get(t, "{ "+strings.Join(fields, " ")+" }", "")); diff != "" {
		t.Errorf("(-alone +aliases):\n%s", diff)
	}
}
