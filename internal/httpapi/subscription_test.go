package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

const (
	asEvents    = "text/event-stream"
	asMultipart = `multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json;q=0.5`
)

// follow subscribes to the changes of the data.
const follow = `subscription($after: Cursor) { changes(after: $after) { cursor more changes { __typename ... on RecordAdded { transfer { blockNumber } } } } }`

// wire is an open stream of a client.
type wire struct {
	// response is nil for a WebSocket.
	response *http.Response
	in       *bufio.Reader
	socket   *websocket.Conn
	media    string
	cancel   context.CancelFunc
}

// openWire sends a request, and returns its stream. It fails the test if the answer is none.
func openWire(t testing.TB, base, accept, body string, header ...string) *wire {
	t.Helper()
	response, cancel := requestStream(t, base, accept, body, header...)
	s := &wire{response: response, in: bufio.NewReader(response.Body), media: response.Header.Get("Content-Type"), cancel: cancel}
	if response.StatusCode != http.StatusOK || s.media == asJSON+"; charset=utf-8" {
		text, _ := io.ReadAll(s.in)
		t.Fatalf("status %d, %s: %s", response.StatusCode, s.media, text)
	}
	return s
}

// requestStream sends a request for a stream, by GET without a body.
func requestStream(t testing.TB, base, accept, body string, header ...string) (*http.Response, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	method, address := http.MethodPost, base+"/graphql"
	if strings.HasPrefix(body, "?") {
		method, address, body = http.MethodGet, address+body, ""
	}
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	expect.NoError(t, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", asJSON)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	expect.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = response.Body.Close()
	})
	return response, cancel
}

// ended is what next returns at the end of a stream.
const ended = "end"

// next returns the next result, or ended. It skips signs of life.
func (s *wire) next(t testing.TB) string {
	t.Helper()
	for {
		if text := s.message(t); text != "" {
			return text
		}
	}
}

// message returns the next result, "" for a sign of life, or ended.
func (s *wire) message(t testing.TB) string {
	t.Helper()
	if s.media == asEvents {
		name, data := "", ""
		for {
			line, err := s.in.ReadString('\n')
			expect.NoError(t, err)
			switch line = strings.TrimSuffix(line, "\n"); {
			case line == "" && name == "complete":
				rest, err := io.ReadAll(s.in)
				if err != nil || len(rest) > 0 {
					t.Errorf("after the end: %q, %v", rest, err)
				}
				return ended
			case line == "":
				return data
			case strings.HasPrefix(line, "event: "):
				name = line[7:]
			case strings.HasPrefix(line, "data: "):
				data = line[6:]
			case line != ":" && line != "data:":
				t.Fatalf("line %q", line)
			}
		}
	}
	expect.Equal(t, "media type", `multipart/mixed;boundary="-";subscriptionSpec="1.0"`, s.media)
	read := func(want string) {
		line, err := s.in.ReadString('\n')
		if expect.NoError(t, err); line != want {
			t.Fatalf("line %q, want %q", line, want)
		}
	}
	if peeked, err := s.in.Peek(2); err == nil && string(peeked) == "\r\n" {
		read("\r\n")
	}
	line, err := s.in.ReadString('\n')
	expect.NoError(t, err)
	if line == "-----\r\n" {
		return ended
	}
	if line != "---\r\n" {
		t.Fatalf("line %q", line)
	}
	read("Content-Type: application/json\r\n")
	read("\r\n")
	body, err := s.in.ReadString('\n')
	expect.NoError(t, err)
	if body = strings.TrimSuffix(body, "\r\n"); body == "{}" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(body, `{"payload":`), "}")
}

// batchOf decodes a batch of follow: its cursor and its changes.
func batchOf(t testing.TB, text string) (cursor string, changes []string) {
	t.Helper()
	a := (&apitest.Reply{Body: text}).Answer(t)
	if len(a.Errors) > 0 || a.Data == nil {
		t.Fatalf("got %s", text)
	}
	for _, c := range apitest.At(a.Data, "changes", "changes").([]any) {
		name := apitest.At(c, "__typename").(string)
		if name == "RecordAdded" {
			name += fmt.Sprint(" ", apitest.At(c, "transfer", "blockNumber"))
		}
		changes = append(changes, name)
	}
	return apitest.At(a.Data, "changes", "cursor").(string), changes
}

// until reads batches until one has a change, and checks the change.
func (s *wire) until(t testing.TB, want string) (cursor string) {
	t.Helper()
	for {
		var changes []string
		if cursor, changes = batchOf(t, s.next(t)); len(changes) > 0 {
			if changes[0] != want {
				t.Errorf("got %v, want %s", changes, want)
			}
			return cursor
		}
	}
}

// TestSubscription_Streams follows new blocks and a reorg over HTTP in each form.
func TestSubscription_Streams(t *testing.T) {
	query := "?query=" + url.QueryEscape(follow)
	for name, c := range map[string]struct{ accept, body string }{
		"events": {asEvents, inJSON(follow)}, "multipart": {asMultipart, inJSON(follow)}, "events by GET": {"text/event-stream, multipart/mixed", query},
	} {
		t.Run(name, func(t *testing.T) {
			blocks := recordedBlocks(t)
			db := storeOf(t, blocks[:10])
			s := online(t, serveStore(t, db))
			stream := openWire(t, s.Base, c.accept, c.body)
			first, changes := batchOf(t, stream.next(t))
			if first == "" || len(changes) > 0 {
				t.Errorf("the first batch has cursor %q and %v", first, changes)
			}
			_, err := db.Apply(t.Context(), blocks[10:13])
			expect.NoError(t, err)
			stream.until(t, "RecordAdded 12")
			expect.NoError(t, db.ReplaceAbove(t.Context(), 11, nil, false))
			stream.until(t, "BlocksVoided")
			// A client continues after its cursor. What became void since is not delivered.
			again := openWire(t, s.Base, asEvents, apitest.Request(follow, `{"after":"`+first+`"}`))
			if _, changes := batchOf(t, again.next(t)); len(changes) == 0 || changes[0] != "BlocksVoided" {
				t.Errorf("after the first cursor: %v", changes)
			}
		})
	}
}

// TestSubscription_Refused checks the errors of requests that are no stream, in the form of the
// accepted media type, and of those that are.
func TestSubscription_Refused(t *testing.T) {
	s := online(t, serve(t))
	for name, c := range map[string]struct {
		accept, body string
		status       int
		code         string
	}{
		"JSON":                {asJSON, inJSON(follow), 406, "BAD_USER_INPUT"},
		"anything":            {"*/*", inJSON(follow), 406, "BAD_USER_INPUT"},
		"Apollo's parts":      {"multipart/mixed;deferSpec=20220824," + asJSON, inJSON(follow), 406, "BAD_USER_INPUT"},
		"a batch":             {asEvents + "," + asJSON, "[" + inJSON(follow) + "]", 200, "BAD_USER_INPUT"},
		"no JSON in the body": {asEvents, "{", 400, "BAD_USER_INPUT"},
		"an invalid document": {asEvents, inJSON("subscription { nothing }"), 0, "GRAPHQL_VALIDATION_FAILED"},
		"two fields":          {asMultipart, inJSON("subscription { changes { cursor } other: changes { cursor } }"), 200, "GRAPHQL_VALIDATION_FAILED"},
		"no field":            {asEvents, inJSON("subscription { changes @skip(if: true) { cursor } }"), 0, "GRAPHQL_VALIDATION_FAILED"},
		"an invalid cursor":   {asMultipart, inJSON(`subscription { changes(after: "x") { cursor } }`), 0, "INVALID_CURSOR"},
		"an invalid filter":   {asEvents, inJSON(`subscription { changes(accounts: "0x0000000000000000000000000000000000000001", kinds: METADATA) { cursor } }`), 0, "BAD_USER_INPUT"},
	} {
		response, _ := requestStream(t, s.Base, c.accept, c.body)
		if c.status == 0 {
			stream := &wire{in: bufio.NewReader(response.Body), media: response.Header.Get("Content-Type")}
			text := stream.next(t)
			if !strings.Contains(text, "errors") {
				t.Fatalf("%s: got %s", name, text)
			}
			if end := stream.next(t); end != ended {
				t.Errorf("%s: got %s after %s", name, end, text)
			}
			(&apitest.Reply{Body: text}).OnlyError(t, c.code)
			continue
		}
		text, err := io.ReadAll(response.Body)
		expect.NoError(t, err)
		if response.StatusCode != c.status {
			t.Errorf("%s: status %d: %s", name, response.StatusCode, text)
		}
		(&apitest.Reply{Body: strings.Trim(string(text), "[]")}).OnlyError(t, c.code)
	}
	// Any operation may be answered as events.
	stream := openWire(t, s.Base, asEvents, inJSON("{ __typename }"))
	if text := stream.next(t); text != `{"data":{"__typename":"Query"}}` || stream.next(t) != ended {
		t.Errorf("got %s", text)
	}
	// Clients that accept JSON too get it for queries.
	if got := s.Post(t, inJSON("{ __typename }"), "Accept", asEvents+","+asJSON); got.Body != `{"data":{"__typename":"Query"}}` {
		t.Errorf("got %s", got.Body)
	}
}

// TestSubscription_Batches checks that no batch has more than 100 changes, nor more than 64 KiB
// unless it has one, and that none is lost in between.
func TestSubscription_Batches(t *testing.T) {
	db := storeOf(t)
	s := online(t, serveStore(t, db))
	first, _ := batchOf(t, openWire(t, s.Base, asEvents, inJSON(follow)).next(t))
	_, err := db.Apply(t.Context(), recordedBlocks(t))
	expect.NoError(t, err)
	total := int64(0)
	for _, kind := range []string{"mints", "burns"} {
		n, err := apitest.At(s.Get(t, "{ "+kind+"(first: 0) { totalItems } }", ""), kind, "totalItems").(interface{ Int64() (int64, error) }).Int64()
		expect.NoError(t, err)
		total += n
	}
	// Each change has 2 KB.
	long := strings.Repeat("x", 100)
	fields := strings.Builder{}
	for i := range 10 {
		fmt.Fprintf(&fields, "%s%d: blockHash ", long, i)
	}
	document := `subscription($after: Cursor) { changes(after: $after, kinds: [ADDED]) { more cursor changes { ... on RecordAdded { transfer { id ` + fields.String() + `} } } } }`
	for name, c := range map[string]struct {
		document string
		changes  int
	}{"small": {`subscription($after: Cursor) { changes(after: $after, kinds: [ADDED]) { more changes { ... on RecordAdded { transfer { id } } } } }`, 100}, "large": {document, 64 << 10 / 1800}} {
		stream := openWire(t, s.Base, asEvents, apitest.Request(c.document, `{"after":"`+first+`"}`))
		seen := map[string]bool{}
		for more := true; more; {
			text := stream.next(t)
			if len(text) > 64<<10+100 {
				t.Errorf("%s: a batch has %d bytes", name, len(text))
			}
			a := (&apitest.Reply{Body: text}).Answer(t)
			list := apitest.At(a.Data, "changes", "changes").([]any)
			if len(list) > c.changes {
				t.Errorf("%s: a batch has %d changes, want at most %d", name, len(list), c.changes)
			}
			for _, change := range list {
				if transfer, ok := change.(map[string]any)["transfer"]; ok {
					seen[transfer.(map[string]any)["id"].(string)] = true
				}
			}
			more = apitest.At(a.Data, "changes", "more").(bool)
		}
		expect.Equal(t, name+": records", total, int64(len(seen)))
	}
}

// TestSubscription_Filters checks that a change that a filter does not select is not delivered,
// and that the cursor moves on.
func TestSubscription_Filters(t *testing.T) {
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, db))
	nobody := openWire(t, s.Base, asEvents, inJSON(`subscription { changes(addresses: ["0x0000000000000000000000000000000000000001"]) { cursor changes { __typename } } }`))
	nobody.next(t)
	all := openWire(t, s.Base, asEvents, inJSON(follow))
	all.next(t)
	_, err := db.Apply(t.Context(), blocks[10:13])
	expect.NoError(t, err)
	all.until(t, "RecordAdded 12")
	// A reorg passes each filter, and is the next that arrives.
	expect.NoError(t, db.ReplaceAbove(t.Context(), 11, nil, false))
	nobody.until(t, "BlocksVoided")
}

// withTimes sets the times of streams.
func withTimes(change func(*httpapi.Limits)) func(*httpapi.Config) {
	return func(c *httpapi.Config) { change(&c.Limits) }
}

// TestSubscription_Beats checks that signs of life come while nothing changes, beyond the
// server's time limits for requests and answers.
func TestSubscription_Beats(t *testing.T) {
	fast := withTimes(func(l *httpapi.Limits) { l.Beat, l.Timeout = 20*time.Millisecond, 50*time.Millisecond })
	s := serveStore(t, storeOf(t, recordedBlocks(t)[:5]), fast)
	address := listenWithin(t, s.Handler, 100*time.Millisecond, 100)
	for _, accept := range []string{asEvents, asMultipart} {
		stream := openWire(t, "http://"+address, accept, inJSON(follow))
		stream.next(t)
		for range 10 {
			if text := stream.message(t); text != "" {
				t.Errorf("got %q, want a sign of life", text)
			}
		}
	}
}

// TestSubscription_Limits checks the numbers of open subscriptions.
func TestSubscription_Limits(t *testing.T) {
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), withTimes(func(l *httpapi.Limits) { l.Subscriptions, l.ClientSubscriptions = 3, 2 }), func(c *httpapi.Config) { c.TrustedProxies = []string{"127.0.0.1"} }))
	open := func(client string) *wire {
		stream := openWire(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", client)
		stream.next(t)
		return stream
	}
	refused := func(client string, status int, why string) {
		t.Helper()
		response, _ := requestStream(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", client)
		text, err := io.ReadAll(response.Body)
		if expect.NoError(t, err); response.StatusCode != status || !strings.Contains(string(text), why) || !strings.Contains(string(text), "RATE_LIMITED") {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
	}
	first := open("192.0.2.1")
	open("192.0.2.1")
	refused("192.0.2.1", 429, "the client has 2 open subscriptions: want at most 2")
	open("192.0.2.2")
	refused("192.0.2.3", 503, "too many subscriptions")
	// The place of a client that leaves is free again.
	first.cancel()
	for deadline := time.Now().Add(20 * time.Second); ; {
		response, cancel := requestStream(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", "192.0.2.3")
		if cancel(); response.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place is not free")
		}
	}
}

// TestSubscription_Stops checks that streams end at once when the server stops, and that no new
// ones begin.
func TestSubscription_Stops(t *testing.T) {
	stopping, stop := context.WithCancel(t.Context())
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), func(c *httpapi.Config) { c.Stopping = stopping }))
	events, parts, socket := openWire(t, s.Base, asEvents, inJSON(follow)), openWire(t, s.Base, asMultipart, inJSON(follow)), connect(t, s.Base)
	socket.send(t, `{"type":"connection_init"}`)
	socket.read(t, `{"type":"connection_ack"}`)
	socket.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON(follow)+`}`)
	events.next(t)
	parts.next(t)
	socket.message(t)
	stop()
	expect.Equal(t, "events", ended, events.next(t))
	expect.Equal(t, "parts", ended, parts.next(t))
	socket.closed(t, websocket.CloseGoingAway)
	if response, _ := requestStream(t, s.Base, asEvents, inJSON(follow)); response.StatusCode != 503 {
		t.Errorf("status %d", response.StatusCode)
	}
}

// TestSubscription_NeverReads checks that a client that does not read is disconnected.
func TestSubscription_NeverReads(t *testing.T) {
	db := storeOf(t)
	c := config(db)
	c.Limits.Write = 50 * time.Millisecond
	handler := newHandler(t, c)
	served := make(chan bool, 20)
	s := &apitest.Client{Base: "http://" + listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if r.Header.Get("Accept") == asEvents && r.Header.Get("X-Reads") == "" {
			served <- true
		}
	}))}
	first, _ := batchOf(t, openWire(t, s.Base, asEvents, inJSON(follow), "X-Reads", "1").next(t))
	_, err := db.Apply(t.Context(), recordedBlocks(t))
	expect.NoError(t, err)
	// The history is sent as often as it takes to fill the buffers of the connection.
	body := apitest.Request(`subscription($after: Cursor) { changes(after: $after) { changes { ... on RecordAdded { transfer { `+strings.Repeat("id blockHash from to ", 1)+numbered(40, "a%d: blockHash", " ")+` } } } } }`, `{"after":"`+first+`"}`)
	for range 20 {
		conn := dial(t, s.Base)
		_, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s", asEvents, len(body), body)
		expect.NoError(t, err)
	}
	select {
	case <-served:
	case <-time.After(20 * time.Second):
		t.Error("the streams are still open")
	}
}
