package chain_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/chain"
)

// members reads the objects of an answer, one or an array of them.
func members(answer []byte) (list []map[string]json.RawMessage, ok bool) {
	if json.Unmarshal(answer, &list) == nil {
		return list, true
	}
	list = make([]map[string]json.RawMessage, 1)
	return list, json.Unmarshal(answer, &list[0]) == nil
}

// checkResults compares what is taken out of an answer with what the standard
// library reads in it.
func checkResults(t *testing.T, answer []byte) {
	t.Helper()
	rest, results, err := chain.TakeResults(answer)
	if err != nil {
		if json.Valid(answer) {
			t.Errorf("%s: %v", answer, err)
		}
		return
	}
	want, ok := members(answer)
	if !ok {
		return // No answer, or followed by something: only the beginning is read.
	}
	got, ok := members(rest)
	if !ok || len(got) != len(want) {
		t.Fatalf("%s became %s", answer, rest)
	}
	for i := range want {
		if place, ok := got[i]["result"]; ok {
			var n int
			if err := json.Unmarshal(place, &n); err != nil || n < 0 || n >= len(results) {
				t.Fatalf("%s became %s with %d results", answer, rest, len(results))
			}
			got[i]["result"] = results[n]
		}
		if len(got[i]) != len(want[i]) {
			t.Errorf("%s became %s", answer, rest)
		}
		for name, value := range want[i] {
			if string(got[i][name]) != string(value) {
				t.Errorf("%s: %s is %s, want %s", answer, name, got[i][name], value)
			}
		}
	}
}

var answers = []string{
	`{"jsonrpc":"2.0","id":1,"result":"0x1"}`,
	` [ {"id" : 7, "result" : [ {"result":{"result":1}} ], "x":null} , null, {"error":{"code":-32000,"message":"result"},"id":2},{"result":null,"id":3},{"\u0072esult":true,"id":4}]` + "\n",
	`{"result":1,"result":[2],"id":1}`,
	`[]`, `{}`, `null`, `7`, `[[{"result":1}]]`,
	`{"id":1,"result":"` + "\xff" + `"}`,
	`{"id":1,"result":"0x1"} trailing`,
	`{"id":1,"result":`, `[{"id":1}`, ``, `{"result":01}`, `<html>`,
}

func TestTakeResults(t *testing.T) {
	for _, answer := range answers {
		checkResults(t, []byte(answer))
	}
	large := "[" + strings.Repeat(`"0123456789",`, 10_000) + "1]"
	rest, results, err := chain.TakeResults(fmt.Appendf(nil, `[{"id":1,"result":%s},{"id":2,"result":"0x2"}]`, large))
	if err != nil || string(rest) != `[{"id":1,"result":0},{"id":2,"result":1}]` || len(results) != 2 || string(results[0]) != large || string(results[1]) != `"0x2"` {
		t.Errorf("got %s with %d results, %v", rest, len(results), err)
	}
}

// FuzzTakeResults holds that nothing of an answer changes but the place of its
// results, and that what is not JSON is refused.
func FuzzTakeResults(f *testing.F) {
	for _, answer := range answers {
		f.Add([]byte(answer))
	}
	f.Fuzz(checkResults)
}
