package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/testing/expect"
)

// echoServer answers each call over a WebSocket with its parameter. The first request of all is
// answered with other messages.
type echoServer struct {
	// id is the format of ids, first are the messages for the first request: %s
	// is its answer, close the end.
	id    string
	first []string

	requests, opened atomic.Int32
	// repeated is true if a connection got an id twice.
	repeated atomic.Bool
}

// start returns the URL of the server.
func (s *echoServer) start(t *testing.T) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http", "ws", 1)
}

// ServeHTTP implements [http.Handler].
func (s *echoServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	s.opened.Add(1)
	seen := map[int64]bool{}
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var calls []struct {
			ID     int64
			Params []string
		}
		form := "[%s]"
		if !bytes.HasPrefix(text, []byte("[")) {
			text, form = fmt.Appendf(nil, form, text), "%s"
		}
		if json.Unmarshal(text, &calls) != nil {
			return
		}
		var answers []string
		for _, c := range calls {
			if seen[c.ID] {
				s.repeated.Store(true)
			}
			seen[c.ID] = true
			answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":`+s.id+`,"result":%q}`, c.ID, c.Params[0]))
		}
		messages := []string{"%s"}
		if s.requests.Add(1) == 1 {
			messages = s.first
		}
		for _, message := range messages {
			message = strings.ReplaceAll(message, "%s", fmt.Sprintf(form, strings.Join(answers, ",")))
			if message == "close" || conn.WriteMessage(websocket.TextMessage, []byte(message)) != nil {
				return
			}
		}
	}
}

// TestStray has a server send messages over a WebSocket that answer no call. Each result must
// be that of its own call, and a connection with such a message is not used again.
func TestStray(t *testing.T) {
	t.Parallel()
	const (
		notice  = `{"jsonrpc":"2.0","method":"notice","params":["maintenance at noon"]}`
		unnamed = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not today"}}`
	)
	for name, test := range map[string]struct {
		id      string
		first   []string
		refused bool // the first request
		opened  int32
	}{
		"none":                      {"%d", []string{"%s"}, false, 1},
		"ids as strings":            {`"%d"`, []string{"%s"}, false, 1},
		"ids in hexadecimal":        {`"0x%x"`, []string{"%s"}, false, 1},
		"ids with a fraction":       {"%d.0", []string{"%s"}, false, 1},
		"a notice":                  {"%d", []string{notice, "%s"}, false, 2},
		"a notice behind":           {"%d", []string{"%s", notice}, false, 2},
		"several":                   {"%d", []string{notice, "{}", "[]", notice, "%s", notice}, false, 2},
		"a list of notices":         {"%d", []string{"[" + notice + "," + notice + "]", "%s"}, false, 2},
		"calls of the server":       {"%d", []string{`{"method":"ping","id":1}`, `[{"id":2,"method":"ping"}]`, `{"id":null,"method":"x","error":7}`, "%s"}, false, 2},
		"another answer":            {"%d", []string{`{"jsonrpc":"2.0","id":4711,"result":"x"}`, "%s"}, false, 2},
		"other answers":             {"%d", []string{`[{"id":4711,"result":"x"},{"id":4712,"result":"x"}]`, "%s"}, false, 2},
		"the id 0":                  {"%d", []string{`{"id":0,"result":"x"}`, `[{"id":-1,"result":"x"}]`, "%s"}, false, 2},
		"another id as text":        {"%d", []string{`{"jsonrpc":"2.0","id":"late","result":"x"}`, "%s"}, false, 2},
		"a result for null":         {"%d", []string{`{"jsonrpc":"2.0","id":null,"result":"x"}`, "%s"}, false, 2},
		"no id":                     {"%d", []string{`{"jsonrpc":"2.0","result":"x"}`, "%s"}, false, 2},
		"an error without an id":    {"%d", []string{`{"error":{"code":1,"message":"no"}}`, "%s"}, false, 2},
		"an error of another call":  {"%d", []string{`{"id":4711,"error":{"code":1,"message":"no"}}`, "%s"}, false, 2},
		"the answer twice":          {"%d", []string{"%s", "%s"}, false, 2},
		"an error for null":         {"%d", []string{unnamed}, true, 2},
		"an error for null, listed": {"%d", []string{"[" + unnamed + "]"}, true, 2},
	} {
		for _, calls := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d calls", name, calls), func(t *testing.T) {
				server := &echoServer{id: test.id, first: test.first}
				c := dial(t, jsonrpc.Options{Attempts: 1}, server.start(t))
				for n := range 4 {
					var args [][]any
					var want []string
					for i := range calls {
						args, want = append(args, []any{fmt.Sprint(n, i)}), append(want, fmt.Sprintf("%q", fmt.Sprint(n, i)))
					}
					results, err := c.Probe(t.Context(), "eth_call", args...)
					if n == 0 && test.refused {
						if err == nil || !strings.Contains(err.Error(), "not today") {
							t.Errorf("error %v for %s", err, results)
						}
						continue
					}
					expect.NoError(t, err)
					var got []string
					for _, result := range results {
						got = append(got, string(result))
					}
					expect.Equal(t, fmt.Sprintf("request %d", n), want, got)
				}
				expect.Equal(t, "connections", test.opened, server.opened.Load())
				expect.Equal(t, "an id was repeated", false, server.repeated.Load())
			})
		}
	}
}

// TestStray_Only has a server that closes the connection without an answer: the error contains
// what it sent.
func TestStray_Only(t *testing.T) {
	t.Parallel()
	server := &echoServer{id: "%d", first: []string{`{"jsonrpc":"2.0","result":"x"}`, "close"}}
	c := dial(t, jsonrpc.Options{Attempts: 1}, server.start(t))
	_, err := c.Probe(t.Context(), "eth_call", []any{"one"})
	if err == nil || !strings.Contains(err.Error(), `, but "{\"jsonrpc\":`) || rpcerror.Class(err) != "unreachable" {
		t.Errorf("error %v of class %q", err, rpcerror.Class(err))
	}
}
