package endpoint_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
)

// TestReadAnswers reads the answers to two calls; "-" means a failed call.
func TestReadAnswers(t *testing.T) {
	t.Parallel()
	large := "[" + strings.Repeat(`"0123456789",`, 10_000) + "1]"
	for text, want := range map[string][]string{
		`[{"jsonrpc":"2.0","id":1,"result":"0x1"},{"id":2,"result":{"result":[1]}}]`:                               {`"0x1"`, `{"result":[1]}`},
		` [ {"result" : null, "x":null, "id" : 2} , {"id":1,"result":true} ] ` + "\n":                              {"true", "null"},
		`[{"id":1,"result":` + large + `},{"id":2,"result":"0x2"}]`:                                                {large, `"0x2"`},
		`[{"error":{"code":-32000,"message":"result"},"id":2},{"id":1,"\u0072esult":7}]`:                           {"7", "-"},
		`[{"id":1,"result":"` + "\xff" + `"},{"id":2,"error":null,"result":1}]`:                                    {"\"\xff\"", "1"},
		`[{"id":1,"result":1},{"id":3,"result":1},{"id":0,"result":1},{"id":-1,"result":1},{"id":"x","result":1}]`: {"1", "-"},
		`[{"id":"1","result":1},{"id":"2","result":2}]`:                                                            {"1", "2"},
		`[{"id":"0x2","result":2},{"id":"0x1","result":1}]`:                                                        {"1", "2"},
		`[{"id":2.0,"result":2},{"id":1e0,"result":1}]`:                                                            {"1", "2"},
		`[{"id":1.5,"result":1},{"id":2,"result":2}]`:                                                              {"-", "2"},
		`[{"id":1},{"id":2,"error":"no"}]`:                                                                         {"-", "-"},
		`[{"id":2,"result":1},{"id":1,"result":2}] trailing`:                                                       {"2", "1"},
	} {
		results, errs, err := endpoint.ReadAnswers([]byte(text), 2)
		var got []string
		for i := range results {
			if errs[i] != nil {
				results[i] = []byte("-")
			}
			got = append(got, string(results[i]))
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%.200s: error %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{
		``, `null`, `7`, `{}`, `[]`, `"error message"`, `[{"id":null,"result":1},{"id":3,"result":2}]`, `<html>`, `[{"id":1}`, `[{"id":1,"result":`, `[{"id":1,"result":01}]`, `[null]`, `[[{"result":1}]]`,
		`[{"id":1,"result":1,"result":2}]`, `{"error":{"code":-32600,"message":"no batches"}}`, `{"id":1,"result":1}`,
	} {
		if _, _, err := endpoint.ReadAnswers([]byte(text), 2); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	// The id of a single answer does not matter.
	if results, errs, err := endpoint.ReadAnswers([]byte(`{"id":null,"result":7}`), 1); err != nil || errs[0] != nil || string(results[0]) != "7" {
		t.Errorf("a single answer: %s, %v, %v", results, errs, err)
	}
}

// TestReadAnswers_Errors reads error objects that leave out a code or a message, and other
// forms of an error.
func TestReadAnswers_Errors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rpcerror.Error{
		`{"code":-32000,"message":"no"}`: {Code: -32000, Message: "no"},
		`{"code":-32005}`:                {Code: -32005},
		`{"message":"no"}`:               {Message: "no"},
		`"no"`:                           {Message: "no"},
		`""`:                             {Message: `error of unknown form: "\"\""`},
		`{}`:                             {Message: `error of unknown form: "{}"`},
		`[7]`:                            {Message: `error of unknown form: "[7]"`},
	} {
		_, errs, err := endpoint.ReadAnswers([]byte(`{"id":1,"error":`+text+`}`), 1)
		var got *rpcerror.Error
		if err != nil || !errors.As(errs[0], &got) || got.Code != want.Code || got.Message != want.Message {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}

// readsAs reports whether the id of an answer is a number in one of the accepted forms.
func readsAs(id json.RawMessage, number int) bool {
	text := strings.Trim(string(id), `"`)
	got, err := strconv.ParseInt(text, 0, 64)
	fraction, failed := strconv.ParseFloat(text, 64)
	return err == nil && got == int64(number) || failed == nil && fraction == float64(number)
}

// FuzzReadAnswers checks that the standard library reads each result in the same answer as
// the id of its call.
func FuzzReadAnswers(f *testing.F) {
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"result":"0x1"},{"id":3,"error":{"code":1,"message":"no"}},{"id":2,"result":[{}]}]`))
	f.Add([]byte(`[{"id":2,"result":null},{"id":2,"result":1},null]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		results, errs, err := endpoint.ReadAnswers(text, 3)
		if err != nil {
			return
		}
		var list []map[string]json.RawMessage
		if err := json.NewDecoder(strings.NewReader(string(text))).Decode(&list); err != nil {
			t.Fatalf("accepted %s: %v", text, err)
		}
		for i, result := range results {
			found := errs[i] != nil
			for _, answer := range list {
				found = found || readsAs(answer["id"], i+1) && string(answer["result"]) == string(result)
			}
			if !found {
				t.Errorf("%s: answer %d is %s", text, i+1, result)
			}
		}
	})
}
