package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestLimits_Documented checks every row of docs/limits.md that has a code: a request at the
// limit is answered, and one above it is rejected.
func TestLimits_Documented(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	expect.NoError(t, err)
	s := serve(t)
	seen := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| (.+?) \\| (\\d+) \\|(?:.*\\|)? (?:(4\\d\\d) )?`([A-Z_]+)` \\|$")
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		name, code := found[1], found[4]
		n, _ := strconv.Atoi(found[2])
		request := apitest.AtLimit[name]
		if request == nil {
			t.Errorf("no request for the row %s", name)
			continue
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			got := s.Post(t, request(n), "Accept", asResponse)
			if got.Status != 200 || strings.Contains(got.Body, `"errors"`) {
				t.Errorf("%d: status %d: %.300s", n, got.Status, got.Body)
			}
			status := map[string]int{asJSON: 200, asResponse: 400}
			if code == "BAD_USER_INPUT" {
				status[asResponse] = 200 // an error of a field
			}
			if fixed, err := strconv.Atoi(found[3]); err == nil {
				status = map[string]int{asJSON: fixed, asResponse: fixed}
			}
			for accept, want := range status {
				got = s.Post(t, request(n+1), "Accept", accept)
				if got.OnlyError(t, code); got.Status != want {
					t.Errorf("%d, %s: status %d, want %d: %s", n+1, accept, got.Status, want, got.Body)
				}
			}
		})
	}
	for name := range apitest.AtLimit {
		if !seen[name] {
			t.Errorf("docs/limits.md has no row %s", name)
		}
	}
}

// TestLimits_Headers checks the last row, which has no code.
func TestLimits_Headers(t *testing.T) {
	s := online(t, serve(t))
	if got := s.Send(t, "GET", "/graphql?query=%7Bchain%7Blag%7D%7D"+strings.Repeat("%0A", 20_000), ""); got.Status != 200 {
		t.Errorf("60 kB: status %d", got.Status)
	}
	if got := s.Send(t, "GET", "/graphql?query=%7Bchain%7Blag%7D%7D"+strings.Repeat("%0A", 30_000), ""); got.Status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("90 kB: status %d, want 431", got.Status)
	}
}

// TestLimits_Answer checks that an answer as long as the limit is sent, alone and in a batch,
// and that one a byte longer is not.
func TestLimits_Answer(t *testing.T) {
	for name, query := range map[string]string{
		"pages":         "{ " + apitest.Repeat(10, func(i int) string { return fmt.Sprintf("a%d: mints(first: 100) { data { id blockHash } } ", i) }) + "}",
		"introspection": "{ __schema { types { name description fields { name description } } } }",
		"small":         "{ chain { head { number } } }",
		"errors":        `{ chain { finalized { hash } } node(id: "x") { id } }`,
	} {
		t.Run(name, func(t *testing.T) {
			var whole struct{ Data json.RawMessage }
			got := serve(t).Post(t, inJSON(query))
			apitest.Decode(t, got.Body, &whole)
			size := len(whole.Data)
			for max, refused := range map[int]bool{size: false, size - 1: true} {
				s := serve(t, func(c *httpapi.Config) { c.Limits.Answer = max })
				a := s.Post(t, inJSON(query)).Answer(t)
				if refused {
					if e := a.OnlyError(t, "QUERY_TOO_COSTLY"); a.Data != nil || !strings.Contains(e.Message, fmt.Sprintf("at most %d bytes", max)) {
						t.Errorf("%d bytes, at most %d: %.200s", size, max, a.Text)
					}
				} else if a.Text != got.Body {
					t.Errorf("%d bytes, at most %d: %.200s", size, max, a.Text)
				}
				if got := s.Post(t, apitest.BatchOf(inJSON("{ __typename }"), inJSON(query))); !strings.Contains(got.Body, "QUERY_TOO_COSTLY") {
					t.Errorf("more than %d bytes in a batch: %.200s", max, got.Body)
				}
			}
		})
	}
}

// TestLimits_Errors checks that an answer contains 100 errors and the number of the others.
func TestLimits_Errors(t *testing.T) {
	s := serve(t)
	for n, want := range map[int]int{100: 100, 101: 101, 1000: 101} {
		a := s.Ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, `{"ids": ["x"`+strings.Repeat(`, "x"`, n-1)+`]}`)
		if len(a.Errors) != want || len(a.Data["nodes"].([]any)) != n {
			t.Errorf("%d bad ids: %d errors, want %d", n, len(a.Errors), want)
		}
		if last := a.Errors[len(a.Errors)-1]; n > 100 && (last.Message != fmt.Sprintf("%d more errors are left out", n-100) || last.Extensions["code"] != "QUERY_TOO_COSTLY") {
			t.Errorf("%d bad ids: the last error is %v", n, last)
		}
	}
}
