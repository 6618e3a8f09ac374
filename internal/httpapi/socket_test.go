package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// socket is the WebSocket of a client.
type socket struct{ *websocket.Conn }

// dialSocket opens a WebSocket. It returns the status of the handshake, and an error if it failed.
func dialSocket(t testing.TB, base, protocol string, header http.Header) (_ socket, status int, err error) {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: strings.Fields(protocol)}
	conn, response, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(base, "http")+"/graphql", header)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
		expect.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	}
	if response != nil {
		status = response.StatusCode
		_ = response.Body.Close()
	}
	return socket{conn}, status, err
}

// connect opens a WebSocket.
func connect(t testing.TB, base string, header ...string) socket {
	t.Helper()
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	s, _, err := dialSocket(t, base, "graphql-transport-ws", h)
	expect.NoError(t, err)
	return s
}

func (s socket) send(t testing.TB, text string) {
	t.Helper()
	expect.NoError(t, s.WriteMessage(websocket.TextMessage, []byte(text)))
}

// message returns the next message.
func (s socket) message(t testing.TB) string {
	t.Helper()
	_, text, err := s.ReadMessage()
	expect.NoError(t, err)
	return string(text)
}

// read checks the next message.
func (s socket) read(t testing.TB, want string) {
	t.Helper()
	expect.Equal(t, "message", want, s.message(t))
}

// closed reads until the connection is closed with a code.
func (s socket) closed(t testing.TB, code int) {
	t.Helper()
	for {
		_, _, err := s.ReadMessage()
		var closed *websocket.CloseError
		if err == nil {
			continue
		}
		if !errors.As(err, &closed) || closed.Code != code {
			t.Errorf("got %v, want code %d", err, code)
		}
		return
	}
}

// begin sends connection_init.
func (s socket) begin(t testing.TB) socket {
	t.Helper()
	s.send(t, `{"type":"connection_init"}`)
	s.read(t, `{"type":"connection_ack"}`)
	return s
}

// TestSocket_Operations runs several operations on a connection.
func TestSocket_Operations(t *testing.T) {
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, db))
	c := connect(t, s.Base, "Origin", s.Base).begin(t)
	c.send(t, `{"id":"q","type":"subscribe","payload":`+inJSON("{ __typename }")+`}`)
	c.read(t, `{"id":"q","type":"next","payload":{"data":{"__typename":"Query"}}}`)
	c.read(t, `{"id":"q","type":"complete"}`)
	c.send(t, `{"id":"é\"","type":"subscribe","payload":`+inJSON("{ nothing }")+`}`)
	if text := c.message(t); !strings.HasPrefix(text, `{"id":"é\"","type":"error","payload":[{"message":"`) || !strings.Contains(text, "GRAPHQL_VALIDATION_FAILED") {
		t.Errorf("got %s", text)
	}
	c.send(t, `{"id":"b","type":"subscribe","payload":[]}`)
	if text := c.message(t); !strings.Contains(text, "BAD_USER_INPUT") {
		t.Errorf("got %s", text)
	}
	for _, ping := range []string{`{"type":"ping"}`, `{"type":"ping","payload":{"a":1}}`} {
		c.send(t, ping)
		c.read(t, strings.Replace(ping, "ping", "pong", 1))
	}
	// The longest payload of a ping.
	long := `"` + strings.Repeat("x", 4<<10-2) + `"`
	c.send(t, `{"type":"ping","payload":`+long+`}`)
	c.read(t, `{"type":"pong","payload":`+long+`}`)
	c.send(t, `{"type":"pong"}`)
	result := func(id string) string {
		text := c.message(t)
		before := `{"id":"` + id + `","type":"next","payload":`
		if !strings.HasPrefix(text, before) {
			t.Fatalf("got %s", text)
		}
		return strings.TrimSuffix(text[len(before):], "}")
	}
	c.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON(follow)+`}`)
	batchOf(t, result("1"))
	_, err := db.Apply(t.Context(), blocks[10:13])
	expect.NoError(t, err)
	if _, changes := batchOf(t, result("1")); len(changes) == 0 || changes[0] != "RecordAdded 10" {
		t.Errorf("got %v", changes)
	}
	// After complete the id is free, and nothing arrives for it.
	c.send(t, `{"id":"1","type":"complete"}`)
	c.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON("{ __typename }")+`}`)
	c.read(t, `{"id":"1","type":"next","payload":{"data":{"__typename":"Query"}}}`)
	c.read(t, `{"id":"1","type":"complete"}`)
}

// TestSocket_Codes checks the codes with which connections are closed.
func TestSocket_Codes(t *testing.T) {
	quick := withTimes(func(l *httpapi.Limits) { l.Body = 10_000 })
	s := online(t, serve(t, quick))
	subscribe := `{"id":"1","type":"subscribe","payload":` + inJSON(follow) + `}`
	for name, c := range map[string]struct {
		code     int
		messages []string
	}{
		"no JSON":                {4400, []string{"{"}},
		"an unknown type":        {4400, []string{`{"type":"start"}`}},
		"no type":                {4400, []string{`{}`}},
		"a payload of init":      {4400, []string{`{"type":"connection_init","payload":{"apiKey":1}}`}},
		"a long id":              {4400, []string{`{"type":"connection_init"}`, `{"id":"` + strings.Repeat("x", 65) + `","type":"subscribe","payload":{}}`}},
		"no id":                  {4400, []string{`{"type":"connection_init"}`, `{"type":"subscribe","payload":{}}`}},
		"subscribe without init": {4401, []string{subscribe}},
		"an id twice":            {4409, []string{`{"type":"connection_init"}`, subscribe, subscribe}},
		"init twice":             {4429, []string{`{"type":"connection_init"}`, `{"type":"connection_init"}`}},
		"a long ping":            {4400, []string{`{"type":"ping","payload":"` + strings.Repeat("x", 4<<10-1) + `"}`}},
		"too long":               {1009, []string{`{"type":"connection_init","payload":"` + strings.Repeat("x", 10_000) + `"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, s.Base)
			for _, m := range c.messages {
				conn.send(t, m)
			}
			conn.closed(t, c.code)
		})
	}
	conn, _, err := dialSocket(t, s.Base, "graphql-ws", nil)
	expect.NoError(t, err)
	conn.closed(t, 4406)
	hasty := online(t, serve(t, withTimes(func(l *httpapi.Limits) { l.Init = time.Millisecond })))
	connect(t, hasty.Base).closed(t, 4408)
	binary := connect(t, s.Base)
	expect.NoError(t, binary.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"ping"}`)))
	binary.closed(t, 4400)
}

// TestSocket_Origins checks which pages may open a WebSocket.
func TestSocket_Origins(t *testing.T) {
	s := online(t, serve(t, func(c *httpapi.Config) { c.Origins = []string{"https://example.org"} }))
	for origin, want := range map[string]int{
		"": 101, s.Base: 101, "https://example.org": 101, "https://EXAMPLE.org": 101, "https://example.com": 403, "null": 403, "http://127.0.0.1": 403,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		_, status, err := dialSocket(t, s.Base, "graphql-transport-ws", header)
		if status != want {
			t.Errorf("%q: status %d, %v, want %d", origin, status, err, want)
		}
	}
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"api.example:443", "wss://api.example", 101}, {"api.example:443", "https://API.example", 101}, {"api.example", "https://api.example:443", 101}, {"api.example:80", "ws://api.example", 101},
		{"api.example", "http://api.example:80", 101}, {"api.example:443", "https://api.example:443", 101}, {"[::1]:443", "https://[::1]", 101}, {"api.example:8443", "https://api.example:8443", 101},
		{"api.example:80", "https://api.example", 403}, {"api.example", "http://api.example:443", 403}, {"api.example:8443", "https://api.example", 403}, {"api.example", "https://api.example:8443", 403},
		{"api.example:443", "app://api.example", 403}, {"api.example", "https://other.example:443", 403}, {"api.example:443", "https://api.example:80", 403}, {"api.example:443", "null", 403}, {"", "null", 403},
	} {
		header := http.Header{"Origin": {c.origin}}
		if c.host != "" {
			header.Set("Host", c.host)
		}
		if _, status, err := dialSocket(t, s.Base, "graphql-transport-ws", header); status != c.want {
			t.Errorf("host %s, origin %s: status %d, %v, want %d", c.host, c.origin, status, err, c.want)
		}
	}
	// A handshake by POST, or of another version.
	for _, header := range [][]string{{"Upgrade", "websocket", "Connection", "Upgrade"}, {"Upgrade", "websocket", "Connection", "Upgrade", "Sec-Websocket-Version", "12"}} {
		got := s.Send(t, "GET", "/graphql", "", header...)
		if got.Status != http.StatusBadRequest && got.Status != http.StatusUpgradeRequired {
			t.Errorf("status %d: %s", got.Status, got.Body)
		}
		got.OnlyError(t, "BAD_USER_INPUT")
	}
}

// TestSocket_Checks checks that the limits on documents, the trusted documents and the hashes of
// persisted documents hold for each operation.
func TestSocket_Checks(t *testing.T) {
	text := "subscription { changes { cursor } }"
	persisted := func(query string) string {
		return `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + httpapi.HashOf(text) + `"}}` + query + `}`
	}
	manifest := filepath.Join(t.TempDir(), "trusted.json")
	expect.NoError(t, os.WriteFile(manifest, []byte(`{"one":"`+text+`"}`), 0o600))
	open, trusting := online(t, serve(t)), online(t, serve(t, func(c *httpapi.Config) { c.TrustedDocuments, c.Limits.Cost = manifest, 30 }))
	for _, c := range []struct {
		s             *apitest.Client
		payload, want string
	}{
		{open, persisted(""), "PERSISTED_QUERY_NOT_FOUND"},
		{open, persisted(`,"query":"` + text + `"`), "next"},
		{open, persisted(""), "next"},
		{open, inJSON("subscription { " + strings.Repeat("changes { cursor } ", 60) + "}"), "QUERY_TOO_COSTLY"},
		{trusting, inJSON("{ __typename }"), "PERSISTED_QUERY_NOT_FOUND"},
		{trusting, `{"documentId":"one"}`, "QUERY_TOO_COSTLY"},
	} {
		conn := connect(t, c.s.Base).begin(t)
		conn.send(t, `{"id":"1","type":"subscribe","payload":`+c.payload+`}`)
		if got := conn.message(t); !strings.Contains(got, `"`+c.want+`"`) {
			t.Errorf("%s: got %s, want %s", c.payload, got, c.want)
		}
	}
}

// TestSocket_Limits checks the number of operations of a connection, and that the subscriptions of
// all connections of a client count together.
func TestSocket_Limits(t *testing.T) {
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), withTimes(func(l *httpapi.Limits) { l.ClientSubscriptions = 2 })))
	first, second := connect(t, s.Base).begin(t), connect(t, s.Base).begin(t)
	// An operation that has ended counts no more.
	for i := range 5 {
		first.send(t, fmt.Sprintf(`{"id":"q%d","type":"subscribe","payload":%s}`, i, inJSON("{ __typename }")))
		first.read(t, fmt.Sprintf(`{"id":"q%d","type":"next","payload":{"data":{"__typename":"Query"}}}`, i))
		first.read(t, fmt.Sprintf(`{"id":"q%d","type":"complete"}`, i))
	}
	for i, want := range []string{"next", "next", "the connection has 2 operations: want at most 2"} {
		first.send(t, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, i, inJSON(follow)))
		if text := first.message(t); !strings.Contains(text, want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	second.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON(follow)+`}`)
	if text := second.message(t); !strings.Contains(text, "the client has 2 open subscriptions") {
		t.Errorf("got %s", text)
	}
}

// TestSocket_Gone checks that the server pings a connection, and closes it without an answer.
func TestSocket_Gone(t *testing.T) {
	t.Parallel()
	c := config(openStore(t, recorded(t)))
	c.Limits.Ping = 500 * time.Millisecond
	handler, served := newHandler(t, c), make(chan bool, 1)
	s := &apitest.Client{Base: "http://" + listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		served <- true
	}))}
	conn, pings := connect(t, s.Base), 0
	conn.SetPingHandler(func(string) error {
		if pings++; pings < 3 {
			return conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
		}
		return nil
	})
	if _, _, err := conn.ReadMessage(); err == nil {
		t.Error("got a message")
	}
	<-served
	if pings < 3 {
		t.Errorf("the connection ended after %d pings", pings)
	}
}
