package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// callNode is a node that only answers eth_call. A call whose data begins with a key of
// says gets that answer; other calls get their own data.
type callNode struct {
	*httptest.Server
	says map[byte]string

	// mu guards the fields below.
	mu sync.Mutex
	// requests contains a string for each request: the first letters of its calls.
	requests []string
	// refuse, if not nil, may answer a request itself; then it returns true.
	refuse func(w http.ResponseWriter, letters string) bool
}

func newCallNode(t *testing.T, says map[byte]string) *callNode {
	t.Helper()
	n := &callNode{says: says}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

// ServeHTTP implements [http.Handler].
func (n *callNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	type message struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	text, _ := io.ReadAll(r.Body)
	var batch []message
	isBatch := bytes.HasPrefix(text, []byte{'['})
	if !isBatch {
		text = append(append([]byte{'['}, text...), ']')
	}
	if err := json.Unmarshal(text, &batch); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	letters, answers := "", []string{}
	for _, m := range batch {
		said := `"result":"0x1"`
		if m.Method == "eth_call" {
			var args struct {
				To   evm.Address
				Data string
			}
			json.Unmarshal(m.Params[0], &args)
			data, _ := hex.DecodeString(strings.TrimPrefix(args.Data, "0x"))
			letters += string(data[:1])
			if said = n.says[data[0]]; said == "" {
				said = fmt.Sprintf(`"result":"0x%x"`, data)
			}
			if args.To != (evm.Address{1}) || string(m.Params[1]) != `"latest"` {
				said = `"error":{"code":-32602,"message":"wrong parameters"}`
			}
		}
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, said))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if letters != "" {
		n.requests = append(n.requests, letters)
		if n.refuse != nil && n.refuse(w, letters) {
			return
		}
	}
	body := strings.Join(answers, ",")
	if isBatch {
		body = "[" + body + "]"
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// callsOf returns a call for each letter.
func callsOf(letters string) []evm.Call {
	var calls []evm.Call
	for _, letter := range []byte(letters) {
		calls = append(calls, evm.Call{To: evm.Address{1}, Data: []byte{letter, 0xFF}})
	}
	return calls
}

// echo returns the result of a call that is answered with its data.
func echo(letter byte) evm.CallResult { return evm.CallResult{Data: []byte{letter, 0xFF}} }

// TestClient_Call has one call of four fail in many ways. The others must have their
// results, and a contract's text must not be read as the node's.
func TestClient_Call(t *testing.T) {
	t.Parallel()
	reverted := func(text string) evm.CallResult { return evm.CallResult{Problem: text, Reverted: true} }
	for name, test := range map[string]struct {
		said     string
		want     evm.CallResult
		requests []string
	}{
		"data":                       {`"result":"0xAb"`, evm.CallResult{Data: []byte{0xAB}}, []string{"axbc"}},
		"nothing":                    {`"result":"0x"`, evm.CallResult{Data: nil}, []string{"axbc"}},
		"revert":                     {`"error":{"code":3,"message":"execution reverted: no\n\u0000such\ttoken","data":"0x"}`, reverted("execution reverted: no such token"), []string{"axbc"}},
		"revert with another code":   {`"error":{"code":-32000,"message":"execution reverted"}`, reverted("execution reverted"), []string{"axbc"}},
		"revert with another text":   {`"error":{"code":-32015,"message":"VM execution error."}`, reverted("VM execution error."), []string{"axbc"}},
		"revert that names a rate":   {`"error":{"code":3,"message":"execution reverted: rate limit, too many requests"}`, reverted("execution reverted: rate limit, too many requests"), []string{"axbc"}},
		"revert that names batches":  {`"error":{"code":3,"message":"execution reverted: batch too large"}`, reverted("execution reverted: batch too large"), []string{"axbc"}},
		"revert that names blocks":   {`"error":{"code":-32000,"message":"execution reverted: header not found"}`, reverted("execution reverted: header not found"), []string{"axbc"}},
		"revert by code alone":       {`"error":{"code":3,"message":"no such token"}`, reverted("no such token"), []string{"axbc"}},
		"out of gas":                 {`"error":{"code":-32000,"message":"out of gas"}`, reverted("out of gas"), []string{"axbc"}},
		"bad opcode":                 {`"error":{"code":-32000,"message":"invalid opcode: INVALID"}`, reverted("invalid opcode: INVALID"), []string{"axbc"}},
		"stack":                      {`"error":{"code":-32000,"message":"stack underflow (0 <=> 1)"}`, reverted("stack underflow (0 <=> 1)"), []string{"axbc"}},
		"took too long":              {`"error":{"code":-32000,"message":"execution aborted (timeout = 5s)"}`, evm.CallResult{Problem: "execution aborted (timeout = 5s)"}, []string{"axbc", "x"}},
		"internal error of one call": {`"error":{"code":-32603,"message":"Internal error"}`, evm.CallResult{Problem: "Internal error"}, []string{"axbc", "x"}},
		"null":                       {`"result":null`, evm.CallResult{Problem: "the node answered null"}, []string{"axbc"}},
		"no hex":                     {`"result":"0xabc"`, evm.CallResult{Problem: `the node answered invalid value "\"0xabc\"": want 0x and an even number of hex digits`}, []string{"axbc"}},
		"too long":                   {`"result":"0x` + strings.Repeat("00", 16<<20+1) + `"`, evm.CallResult{Problem: "the contract returned more than 16777216 bytes"}, []string{"axbc"}},
	} {
		t.Run(name, func(t *testing.T) {
			node := newCallNode(t, map[byte]string{'x': test.said})
			o := lieOptions()
			o.MaxBody = 64 << 20
			c := dial(t, o, node.URL)
			got, err := c.Call(context.Background(), callsOf("axbc"))
			expect.NoError(t, err)
			expect.Equal(t, "got", []evm.CallResult{echo('a'), test.want, echo('b'), echo('c')}, got)
			expect.Equal(t, "requests", test.requests, node.requests)
		})
	}
	t.Run("none", func(t *testing.T) {
		if got, err := dial(t, lieOptions(), "http://127.0.0.1:1").Call(context.Background(), nil); err != nil || len(got) != 0 {
			t.Errorf("got %v, error %v", got, err)
		}
	})
}

// TestClient_Call_Limit checks that a result above the limit of its call is cut before it is
// decoded, whatever follows, in a batch and alone.
func TestClient_Call_Limit(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		"0x": "", "0xabcd": "\xab\xcd", "0xabcdef": "\xab\xcd\xef", "0xabcdef01": "\xab\xcd\xef",
		"0xabcdef" + strings.Repeat("x", 1<<20): "\xab\xcd\xef", "0xabcdef" + strings.Repeat("00", 17<<20): "\xab\xcd\xef",
	} {
		o := lieOptions()
		o.MaxBody = 80 << 20
		client := dial(t, o, newCallNode(t, map[byte]string{'x': `"result":"` + result + `"`}).URL)
		for _, letters := range []string{"x", "xx"} {
			calls := callsOf(letters)
			for i := range calls {
				calls[i].Limit = 3
			}
			results, err := client.Call(t.Context(), calls)
			expect.NoError(t, err)
			for _, r := range results {
				if r.Problem != "" || string(r.Data) != want {
					t.Errorf("%.20s: got %q and problem %q, want %q", result, r.Data, r.Problem, want)
				}
			}
		}
	}
}

// TestClient_Call_Batches checks that no batch is larger than configured or than the node
// accepts.
func TestClient_Call_Batches(t *testing.T) {
	t.Parallel()
	letters := "abcdefghijklmnopqrstuvw"
	var want []evm.CallResult
	for _, letter := range []byte(letters) {
		want = append(want, echo(letter))
	}
	for name, test := range map[string]struct {
		refuse   func(w http.ResponseWriter, letters string) bool
		requests []string
	}{
		"configured": {nil, []string{"abcdefghij", "klmnopqrst", "uvw"}},
		"node refuses batches above 5": {func(w http.ResponseWriter, letters string) bool {
			if len(letters) > 5 {
				io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}`)
			}
			return len(letters) > 5
		}, []string{"abcdefghij", "abcde", "fghij", "klmno", "pqrst", "uvw"}},
		"an answer is too large": {func(w http.ResponseWriter, letters string) bool {
			if len(letters) > 1 && strings.Contains(letters, "c") {
				w.Write(bytes.Repeat([]byte{' '}, 2<<20))
			}
			return len(letters) > 1 && strings.Contains(letters, "c")
		}, []string{"abcdefghij", "abcde", "ab", "cde", "c", "de", "fghij", "klmnopqrst", "uvw"}},
		"a call breaks the connection of its batch": {func(_ http.ResponseWriter, letters string) bool {
			if len(letters) > 1 && strings.Contains(letters, "j") {
				panic(http.ErrAbortHandler)
			}
			return false
		}, []string{"abcdefghij", "abcde", "fghij", "fg", "hij", "h", "ij", "i", "j", "klmnopqrst", "uvw"}},
	} {
		t.Run(name, func(t *testing.T) {
			node := newCallNode(t, nil)
			node.refuse = test.refuse
			o := lieOptions()
			o.BatchSize = 10
			got, err := dial(t, o, node.URL).Call(context.Background(), callsOf(letters))
			expect.NoError(t, err)
			expect.Equal(t, "got", want, got)
			expect.Equal(t, "requests", test.requests, node.requests)
		})
	}
}

// TestClient_Call_PoisonAlone has a call that always breaks its connection. It must fail
// alone, because the node answers others.
func TestClient_Call_PoisonAlone(t *testing.T) {
	t.Parallel()
	node := newCallNode(t, nil)
	node.refuse = func(_ http.ResponseWriter, letters string) bool {
		if strings.Contains(letters, "x") {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	got, err := dial(t, lieOptions(), node.URL).Call(context.Background(), callsOf("axb"))
	expect.NoError(t, err)
	if got[1].Problem == "" || got[1].Reverted {
		t.Errorf("got %+v", got[1])
	}
	got[1] = evm.CallResult{}
	expect.Equal(t, "got", []evm.CallResult{echo('a'), {}, echo('b')}, got)
}

// TestClient_Call_Errors checks that an error that is not about one call leads to another
// endpoint, or to no results.
func TestClient_Call_Errors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		says map[byte]string
		ill  bool
		want error
	}{
		"limit":        {map[byte]string{'x': `"error":{"code":429,"message":"too many requests"}`}, false, rpcerror.ErrTemporary},
		"no such call": {map[byte]string{'a': `"error":{"code":-32601,"message":"the method eth_call does not exist/is not available"}`}, false, nil},
		"behind":       {map[byte]string{'x': `"error":{"code":-32000,"message":"header not found"}`}, false, rpcerror.ErrLagging},
		"down":         {nil, true, rpcerror.ErrTemporary},
	} {
		t.Run(name, func(t *testing.T) {
			node, other := newCallNode(t, test.says), newCallNode(t, nil)
			if test.ill {
				node.refuse = func(w http.ResponseWriter, _ string) bool {
					w.WriteHeader(http.StatusServiceUnavailable)
					return true
				}
			}
			got, err := dial(t, lieOptions(), node.URL).Call(context.Background(), callsOf("axb"))
			if err == nil || got != nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, error %v, want %v", got, err, test.want)
			}
			got, err = dial(t, lieOptions(), node.URL, other.URL).Call(context.Background(), callsOf("axb"))
			if diff := cmp.Diff([]evm.CallResult{echo('a'), echo('x'), echo('b')}, got); err != nil || diff != "" {
				t.Errorf("of two endpoints: error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestClient_Call_Recorded repeats the recorded calls of the shared chain.
func TestClient_Call_Recorded(t *testing.T) {
	t.Parallel()
	c := dial(t, jsonrpc.Options{BatchSize: 17}, "http://"+chainA(t))
	var calls []evm.Call
	var want []evm.CallResult
	for _, recorded := range chaintest.Values[struct {
		To           evm.Address
		Data, Result hexutil.Bytes
		Error        *struct{ Message string }
	}](t, "chain-a/calls.ndjson.gz") {
		calls = append(calls, evm.Call{To: recorded.To, Data: recorded.Data})
		want = append(want, evm.CallResult{Data: recorded.Result, Reverted: recorded.Error != nil})
	}
	got, err := c.Call(context.Background(), calls)
	expect.NoError(t, err)
	for i := range got {
		if got[i].Reverted != (got[i].Problem != "") {
			t.Errorf("call %d: %+v", i, got[i])
		}
		got[i].Problem = ""
	}
	expect.Equal(t, "got", want, got)
}
