package httpapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestInput_WholeNumbers sends variables whose values are integers, however they are written.
func TestInput_WholeNumbers(t *testing.T) {
	s := serve(t)
	fields := map[string]string{
		"Int": `mints(first: %s) { limit }`, "Long": `mints(fromBlock: %s) { data { blockNumber } }`,
		"BlockNumberOrHash": `mints(block: %s) { totalItems data { id } }`, "BigInt": `mints(address: "` + collection + `", tokenId: %s) { data { tokenId } }`,
		"[TokenKey!]": `mints(tokens: %s) { data { tokenId } }`,
	}
	ask := func(scalar, written string) string {
		if scalar == "[TokenKey!]" {
			written = `{"address": "` + collection + `", "tokenId": ` + written + `}`
		}
		return s.Ask(t, fmt.Sprintf("query($v: %s) { "+fields[scalar]+" }", scalar, "$v"), `{"v": `+written+`}`).Text
	}
	for want, forms := range map[string]string{
		"3":  "3.0 3.000 3e0 3E+0 0.3e1 0.03e2 30e-1 3000.00E-3 3" + strings.Repeat("0", 70) + "e-70 3." + strings.Repeat("0", 5000),
		"20": "2e1 2.0e1 20.0 0.2E2 200e-1",
		"0":  "0.0 0e5 0e-9 0.00e77",
	} {
		for scalar := range fields {
			plain := ask(scalar, want)
			if strings.Contains(plain, "BAD_USER_INPUT") {
				t.Fatalf("%s %s: %s", scalar, want, plain)
			}
			for written := range strings.FieldsSeq(forms) {
				if got := ask(scalar, written); got != plain {
					t.Errorf("%s %.20s: %.200s, want %s", scalar, written, got, plain)
				}
			}
		}
	}
	for scalar := range fields {
		for written := range strings.FieldsSeq("2.5 25e-1 1e-1 1e78 0e78 1e999999999 1e-78 1e99999999999999999999 -1.5 2.0000001") {
			if got := ask(scalar, written); !strings.Contains(got, "BAD_USER_INPUT") {
				t.Errorf("%s %s is accepted: %s", scalar, written, got)
			}
		}
	}
	if got := ask("Int", "-2.0"); !strings.Contains(got, "first: got -2, want 0 to 1000") {
		t.Errorf("-2.0: %s", got)
	}
	if got := ask("BigInt", "1e77"); strings.Contains(got, "errors") {
		t.Errorf("1e77: %s", got)
	}
	if got := s.Ask(t, "{ mints(first: 2.0) { limit } }", "").Text; !strings.Contains(got, "GRAPHQL_VALIDATION_FAILED") {
		t.Errorf("the literal 2.0 for Int: %s", got)
	}
	got := s.Send(t, "GET", "/graphql?query="+url.QueryEscape("query($v: Int) { mints(first: $v) { limit } }")+"&variables="+url.QueryEscape(`{"v": 2.0}`), "")
	if !strings.Contains(got.Body, `"limit":2`) {
		t.Errorf("a GET: %s", got.Body)
	}
}
