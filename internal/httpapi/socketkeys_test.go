package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/apikeys"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestSocket_Keys checks the keys of connection_init and of the handshake.
func TestSocket_Keys(t *testing.T) {
	s := online(t, serve(t, withKeys(keyFile{"a", "poor quota=30"}.parse(t), admit.Access{Required: true})))
	for name, c := range map[string]struct {
		header  []string
		payload string
		code    int
	}{
		"no key":             {nil, `{}`, 4401},
		"no payload":         {nil, `null`, 4401},
		"an invalid key":     {nil, `{"apiKey":"x"}`, 4401},
		"a key":              {nil, `{"apiKey":"secret-a"}`, 0},
		"one in the header":  {[]string{"Authorization", "Bearer secret-a"}, `{}`, 0},
		"an invalid header":  {[]string{"Authorization", "Bearer x"}, `{}`, 4401},
		"header and payload": {[]string{"X-Api-Key", "x"}, `{"apiKey":"secret-a"}`, 0},
		"another in payload": {[]string{"X-Api-Key", "secret-a"}, `{"apiKey":"x"}`, 4401},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, s.Base, c.header...)
			conn.send(t, `{"type":"connection_init","payload":`+c.payload+`}`)
			if c.code != 0 {
				conn.closed(t, c.code)
				return
			}
			conn.read(t, `{"type":"connection_ack"}`)
		})
	}
	// Each operation is charged to the key's quota: 1 for the connection, 42 are too many.
	conn := connect(t, s.Base)
	conn.send(t, `{"type":"connection_init","payload":{"apiKey":"secret-poor"}}`)
	conn.read(t, `{"type":"connection_ack"}`)
	for i, want := range []string{"next", "error"} {
		conn.send(t, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, i, inJSON("{ chain { lag } }")))
		text := conn.message(t)
		if !strings.Contains(text, `"type":"`+want+`"`) || want == "error" && !strings.Contains(text, "RATE_LIMITED") {
			t.Errorf("got %s, want %s", text, want)
		}
		if want == "next" {
			conn.read(t, `{"id":"0","type":"complete"}`)
		}
	}
}

// present holds the keys of a server, which change while it runs.
type present struct{ atomic.Pointer[apikeys.Set] }

// serveChanging serves some blocks to clients with a key, whose keys are checked every few
// milliseconds. The key a is valid until a minute after accessTime.
func serveChanging(t *testing.T) (*apitest.Client, *present, *clock) {
	t.Helper()
	keys, now := &present{}, &clock{}
	keys.Store(keyFile{"a expires=2027-01-31T12:01:00Z", "b"}.parse(t))
	access := func(c *httpapi.Config) {
		c.Access = &admit.Access{Required: true, Keys: keys.Load, Now: now.now}
		c.Limits.Key = 5 * time.Millisecond
	}
	return online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:12]), access)), keys, now
}

// TestSocket_Revoked ends the validity of a key while a WebSocket is open: its next operation and
// its subscription end the connection, even if nothing changes. Those of another key continue.
func TestSocket_Revoked(t *testing.T) {
	revoke := func(t *testing.T, keys *present, _ *clock) { keys.Store(keyFile{"b"}.parse(t)) }
	expire := func(_ *testing.T, _ *present, now *clock) { now.Add(60_000) }
	const query = `{"id":"2","type":"subscribe","payload":{"query":"{ __typename }"}}`
	for name, end := range map[string]func(*testing.T, *present, *clock){"revoked": revoke, "expired": expire} {
		t.Run(name, func(t *testing.T) {
			s, keys, now := serveChanging(t)
			early, asks, subscribes, other := connect(t, s.Base, "X-Api-Key", "secret-a"), connect(t, s.Base), connect(t, s.Base, "X-Api-Key", "secret-a").begin(t), connect(t, s.Base, "X-Api-Key", "secret-b").begin(t)
			asks.send(t, `{"type":"connection_init","payload":{"apiKey":"secret-a"}}`)
			asks.read(t, `{"type":"connection_ack"}`)
			for _, c := range []socket{subscribes, other} {
				c.send(t, `{"id":"1","type":"subscribe","payload":`+inJSON(follow)+`}`)
				c.message(t)
			}
			end(t, keys, now)
			asks.send(t, query)
			asks.closed(t, 4401)
			subscribes.closed(t, 4401)
			early.send(t, `{"type":"connection_init"}`)
			early.closed(t, 4401)
			other.send(t, query)
			other.read(t, `{"id":"2","type":"next","payload":{"data":{"__typename":"Query"}}}`)
		})
	}
}

// TestStreams_Revoked revokes a key while streams over HTTP wait, which end although nothing
// changes.
func TestStreams_Revoked(t *testing.T) {
	s, keys, _ := serveChanging(t)
	const key, secret = "X-API-Key", "secret-a"
	events, parts := openWire(t, s.Base, asEvents, inJSON(follow), key, secret), openWire(t, s.Base, asMultipart, inJSON(follow), key, secret)
	events.next(t)
	parts.next(t)
	feed := stream(t, s, "", key, secret)
	feed.next(true)
	polled := make(chan *apitest.Reply)
	go func() { polled <- s.Send(t, http.MethodGet, "/v1/changes?wait=60s", "", key, secret) }()
	// The stream has run one batch, and the long poll runs another before it waits.
	within(t, "a long poll", func() bool {
		return strings.Contains(s.Send(t, http.MethodGet, "/metrics", "", key, "secret-b").Body, `mintburn_operations_total{operation="/v1/changes",result="ok"} 2`)
	})
	keys.Store(keyFile{"b"}.parse(t))
	for _, stream := range []*wire{events, parts} {
		if text := stream.next(t); !strings.Contains(text, "UNAUTHENTICATED") || stream.next(t) != ended {
			t.Errorf("got %s", text)
		}
	}
	if name, data := feed.next(false); name != "error" || !strings.Contains(data, "UNAUTHENTICATED") {
		t.Errorf("got %s: %s", name, data)
	}
	if got := <-polled; got.Status != http.StatusUnauthorized {
		t.Errorf("a long poll: status %d: %s", got.Status, got.Body)
	}
}

// TestSocket_Quota checks that operations of a WebSocket are charged like requests, valid or not,
// also those beyond the number of operations.
func TestSocket_Quota(t *testing.T) {
	const quota = 20
	for name, payload := range map[string]string{"valid": inJSON("{ __typename }"), "invalid": inJSON("{ nothing }"), "no operation": "[]", "no payload": "null"} {
		t.Run(name, func(t *testing.T) {
			s := online(t, serve(t, withKeys(keyFile{}.parse(t), admit.Access{Quota: quota})))
			conn := connect(t, s.Base).begin(t)
			for i := range quota + 5 {
				conn.send(t, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, i, payload))
				text := conn.message(t)
				// One is charged for the connection.
				if limited := strings.Contains(text, "RATE_LIMITED"); limited != (i >= quota-1) {
					t.Fatalf("operation %d: %s", i, text)
				}
				if strings.Contains(text, `"next"`) {
					conn.message(t)
				}
			}
			// Another connection of the client, and HTTP, have the same quota.
			again := connect(t, s.Base)
			again.send(t, `{"type":"connection_init"}`)
			again.closed(t, 1013)
			s.Post(t, inJSON("{ __typename }")).OnlyError(t, "RATE_LIMITED")
		})
	}
	s := online(t, serveStore(t, storeOf(t, recordedBlocks(t)[:5]), withKeys(keyFile{}.parse(t), admit.Access{Quota: 1_000}), withTimes(func(l *httpapi.Limits) { l.ClientSubscriptions = 1 })))
	conn := connect(t, s.Base).begin(t)
	conn.send(t, `{"id":"f","type":"subscribe","payload":`+inJSON(follow)+`}`)
	conn.message(t)
	for i := 0; ; i++ {
		conn.send(t, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"{ __typename }"}}`, i))
		text := conn.message(t)
		if strings.Contains(text, "the quota of 1000 a minute is spent") {
			break
		}
		if i > 1_000 || !strings.Contains(text, "the connection has 1 operations") {
			t.Fatalf("operation %d: %s", i, text)
		}
	}
}

// TestSocket_TwoKeys opens a connection with one key in its handshake and another in
// connection_init: the second is the client's, with its own quota, and the first pays nothing. The
// line of the second may change while the connection is open.
func TestSocket_TwoKeys(t *testing.T) {
	keys := &present{}
	keys.Store(keyFile{"a quota=50", "b", "c quota=900 max-cost=30"}.parse(t))
	s := online(t, serve(t, func(c *httpapi.Config) {
		c.Access = &admit.Access{Keys: keys.Load, Quota: 600, Now: func() time.Time { return accessTime }}
	}))
	left := func(secret string) string {
		return s.Post(t, inJSON("{ __typename }"), "X-API-Key", secret).Header.Get("RateLimit")
	}
	conn := connect(t, s.Base, "X-Api-Key", "secret-a")
	conn.send(t, `{"type":"connection_init","payload":{"apiKey":"secret-b"}}`)
	conn.read(t, `{"type":"connection_ack"}`)
	ask := func(id string, cost int) string {
		conn.send(t, `{"id":"`+id+`","type":"subscribe","payload":`+inJSON(spending(cost))+`}`)
		text := conn.message(t)
		if strings.Contains(text, `"next"`) {
			conn.read(t, `{"id":"`+id+`","type":"complete"}`)
		}
		return text
	}
	if text := ask("1", 400); !strings.Contains(text, `"next"`) {
		t.Errorf("b has the server's quota: %s", text)
	}
	// One is for the connection, 400 for the operation, and one for this request.
	expect.Equal(t, "left of b", `"default";r=198;t=41`, left("secret-b"))
	expect.Equal(t, "left of a", `"default";r=49;t=2`, left("secret-a"))
	if text := ask("2", 400); !strings.Contains(text, "the quota of 600 a minute is spent") {
		t.Errorf("got %s", text)
	}
	keys.Store(keyFile{"a quota=50", "b quota=0 max-cost=450"}.parse(t))
	if text := ask("3", 440); !strings.Contains(text, `"next"`) {
		t.Errorf("without a quota: %s", text)
	}
	if text := ask("4", 451); !strings.Contains(text, "QUERY_TOO_COSTLY") {
		t.Errorf("above the new limit: %s", text)
	}
}
