package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// withTimes sets the times of streams.
func withTimes(change func(*httpapi.Limits)) func(*httpapi.Config) {
	return func(c *httpapi.Config) { change(&c.Limits) }
}

// TestSubscription_Beats checks that signs of life come while nothing changes, beyond the
// server's time limits for requests and answers.
func TestSubscription_Beats(t *testing.T) {
	t.Parallel()
	const limit, beat = 2 * time.Second, 100 * time.Millisecond
	fast := withTimes(func(l *httpapi.Limits) { l.Beat, l.Timeout = beat, limit })
	s := serveStore(t, storeOf(t, recordedBlocks(t)[:5]), fast)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	server := httpapi.NewServer(s.Handler, limit, limit, slog.New(slog.DiscardHandler))
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	address := l.Addr().String()
	var streams []*wire
	for i, accept := range []string{asEvents, asMultipart, asEvents} {
		streams = append(streams, openWire(t, "http://"+address, accept, inJSON(follow), "X-Version", []string{"1", "1", "2"}[i]))
	}
	for _, stream := range streams {
		stream.next(t)
		for range 3 * limit / beat / 2 {
			if text := stream.message(t); text != "" {
				t.Errorf("got %q, want a sign of life", text)
			}
		}
	}
}

// TestSubscription_Shared checks that a batch is executed once for all subscriptions that read the
// same, whatever their first cursor was, and once more for another filter.
func TestSubscription_Shared(t *testing.T) {
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, db))
	filtered := `subscription($after: Cursor, $kinds: [ChangeKind!]) { changes(after: $after, kinds: $kinds) { cursor more changes { __typename ... on RecordAdded { transfer { blockNumber } } } } }`
	early, _ := batchOf(t, openWire(t, s.Base, asEvents, inJSON(follow)).next(t))
	_, err := db.Apply(t.Context(), blocks[10:13])
	expect.NoError(t, err)
	var same, others []*wire
	for i := range 20 {
		same = append(same, openWire(t, s.Base, []string{asEvents, asMultipart}[i%2], apitest.Request(filtered, []string{"{}", `{"after":"` + early + `"}`}[i/10])))
		if i < 5 {
			others = append(others, openWire(t, s.Base, asEvents, apitest.Request(filtered, `{"kinds":["ADDED"]}`)))
		}
	}
	all := append(slices.Clone(same), others...)
	// After one common batch, all have the same cursor.
	for _, stream := range all {
		stream.next(t)
	}
	ran := func() int {
		found := regexp.MustCompile(`mintburn_operations_total\{operation="\(none\)",result="ok"\} (\d+)`).FindStringSubmatch(s.Send(t, "GET", "/metrics", "").Body)
		n, err := strconv.Atoi(found[1])
		expect.NoError(t, err)
		return n
	}
	apply := func(n int) []string {
		_, err := db.Apply(t.Context(), blocks[n:n+1])
		expect.NoError(t, err)
		var texts []string
		for _, stream := range all {
			texts = append(texts, stream.next(t))
		}
		return texts
	}
	apply(13)
	before := ran()
	texts := apply(14)
	// The stream that gave the first cursor is one of another document, and some batches of the
	// block before may still have been read.
	if n := ran() - before; n > 8 {
		t.Errorf("%d executions, want far fewer than the 25 streams", n)
	}
	for _, text := range texts[1:len(same)] {
		if text != texts[0] {
			t.Errorf("got %s and %s", texts[0], text)
		}
	}
}

// TestSubscription_Quota checks that each delivered batch is charged, and that a subscription waits
// while the quota is spent.
func TestSubscription_Quota(t *testing.T) {
	t.Parallel()
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:12])
	// A batch costs 31: the field, 100 items of a page, and the cursor.
	s := online(t, serveStore(t, db, withKeys(keyFile{"poor quota=100"}.parse(t), admit.Access{Required: true})))
	const key, secret, query = "X-API-Key", "secret-poor", "subscription { changes { cursor } }"
	stream := openWire(t, s.Base, asEvents, inJSON(query), key, secret)
	stream.next(t)
	batches := 1
	for next := 12; batches < 4; next++ {
		if len(blocks[next].Mints) == 0 {
			continue
		}
		_, err := db.Apply(t.Context(), blocks[next:next+1])
		expect.NoError(t, err)
		if batches++; batches < 4 {
			stream.next(t)
		}
	}
	if text := stream.message(t); text != "" {
		t.Errorf("the fourth batch is %s, want a sign of life", text)
	}
	refused := s.Send(t, http.MethodPost, "/graphql", inJSON(query), "Accept", asEvents, key, secret)
	refused.OnlyError(t, "RATE_LIMITED")
}

// TestSubscription_Limits checks the numbers of open subscriptions, with which the streams of
// /v1/changes count.
func TestSubscription_Limits(t *testing.T) {
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), withTimes(func(l *httpapi.Limits) { l.Subscriptions, l.ClientSubscriptions = 3, 2 }), func(c *httpapi.Config) { c.TrustedProxies = []string{"127.0.0.1"} }))
	open := func(client string) *wire {
		stream := openWire(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", client)
		stream.next(t)
		return stream
	}
	refused := func(client string, status int, why string) {
		t.Helper()
		got, stream := requestStream(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", client)
		if got != status {
			t.Fatalf("status %d, want %d", got, status)
		}
		text, err := io.ReadAll(stream.in)
		if expect.NoError(t, err); !strings.Contains(string(text), why) || !strings.Contains(string(text), "RATE_LIMITED") {
			t.Errorf("status %d: %s", got, text)
		}
	}
	first := open("192.0.2.1")
	stream(t, s, "", "X-Forwarded-For", "192.0.2.1").next(true)
	got := s.Send(t, http.MethodGet, "/v1/changes", "", "Accept", asEvents, "X-Forwarded-For", "192.0.2.1")
	if got.Status != http.StatusTooManyRequests || !strings.Contains(got.Body, `"code":"RATE_LIMITED"`) {
		t.Errorf("/v1/changes: status %d: %s", got.Status, got.Body)
	}
	refused("192.0.2.1", 429, "the client has 2 open subscriptions: want at most 2")
	open("192.0.2.2")
	refused("192.0.2.3", 503, "too many subscriptions")
	// The place of a client that leaves is free again.
	first.cancel()
	for deadline := time.Now().Add(20 * time.Second); ; {
		status, stream := requestStream(t, s.Base, asEvents, inJSON(follow), "X-Forwarded-For", "192.0.2.3")
		if stream.cancel(); status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place is not free")
		}
	}
}

// TestSubscription_Stops checks that streams and long polls end at once when the server stops, and
// that no new ones begin.
func TestSubscription_Stops(t *testing.T) {
	stopping, stop := context.WithCancel(t.Context())
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), func(c *httpapi.Config) { c.Stopping = stopping }))
	events, parts, socket := openWire(t, s.Base, asEvents, inJSON(follow)), openWire(t, s.Base, asMultipart, inJSON(follow)), connect(t, s.Base)
	second := openWire(t, s.Base, asEvents, inJSON(follow), "X-Version", "2")
	secondParts := openWire(t, s.Base, asMultipart, inJSON(follow), "X-Version", "2")
	socket.send(t, `{"type":"connection_init"}`)
	socket.read(t, `{"type":"connection_ack"}`)
	socket.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON(follow)+`}`)
	for _, stream := range []*wire{events, second, parts, secondParts} {
		stream.next(t)
	}
	socket.message(t)
	after := changesAfter(t, s, "").Cursor
	feed := stream(t, s, "after="+after)
	feed.next(true)
	polled := make(chan changesAnswer)
	go func() { polled <- changesAfter(t, s, "wait=60s&after="+after) }()
	stop()
	// Clients subscribe again after an answer that is not complete.
	expect.Equal(t, "events by HTTP/1.1", aborted, events.next(t))
	expect.Equal(t, "events by HTTP/2", aborted, second.next(t))
	for _, stream := range []*wire{parts, secondParts} {
		const unavailable = `null,"errors":[{"message":"the data is unavailable: try again later","extensions":{"code":"UNAVAILABLE"}}]`
		expect.Equal(t, "parts", unavailable, stream.next(t))
		expect.Equal(t, "parts", ended, stream.next(t))
	}
	socket.closed(t, websocket.CloseGoingAway)
	if name, data := feed.next(true); name != "" {
		t.Errorf("event %q: %s, want the end", name, data)
	}
	select {
	case got := <-polled:
		if got.Cursor != after || len(got.Data) != 0 {
			t.Errorf("long poll: %v", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("the long poll is still open")
	}
	if status, _ := requestStream(t, s.Base, asEvents, inJSON(follow)); status != 503 {
		t.Errorf("status %d", status)
	}
}

// TestSubscription_NeverReads checks that a client that does not read is disconnected.
func TestSubscription_NeverReads(t *testing.T) {
	t.Parallel()
	db := storeOf(t)
	c := config(db)
	c.Limits.Write = 500 * time.Millisecond
	handler := newHandler(t, c)
	served := make(chan bool, 20)
	s := &apitest.Client{Base: "http://" + listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if r.Header.Get("Accept") == asEvents && r.Header.Get("X-Reads") == "" {
			served <- true
		}
	}))}
	first, _ := batchOf(t, openWire(t, s.Base, asEvents, inJSON(follow), "X-Reads", "1").next(t))
	_, err := db.Apply(t.Context(), generated(100, 100))
	expect.NoError(t, err)
	// Some 30 MB, more than the buffers of a connection hold.
	body := apitest.Request(`subscription($after: Cursor) { changes(after: $after) { changes { ... on RecordAdded { transfer { `+strings.Repeat("id blockHash from to ", 1)+numbered(40, "a%d: blockHash", " ")+` } } } } }`, `{"after":"`+first+`"}`)
	for range 3 {
		conn := dial(t, s.Base)
		expect.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s", asEvents, len(body), body)
		expect.NoError(t, err)
	}
	select {
	case <-served:
	case <-time.After(20 * time.Second):
		t.Error("the streams are still open")
	}
}
