package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// logTo makes a server log JSON to a buffer, like the program.
func logTo(into *bytes.Buffer, access observe.AccessLog) func(*httpapi.Config) {
	return func(c *httpapi.Config) {
		c.Log, c.AccessLog = slog.New(observe.WithRequestIDs(slog.NewJSONHandler(into, nil))), access
	}
}

// logged returns the log lines with a message, and empties the log.
func logged(t *testing.T, log *bytes.Buffer, message string) (list []map[string]any) {
	t.Helper()
	for text := range strings.Lines(log.String()) {
		var line map[string]any
		expect.NoError(t, json.Unmarshal([]byte(text), &line))
		if line["msg"] == message {
			list = append(list, line)
		}
	}
	log.Reset()
	return list
}

// TestAccessLog_Lines checks that a line contains the documented values, and no part of the
// document, the variables or the URL.
func TestAccessLog_Lines(t *testing.T) {
	var log bytes.Buffer
	const path = "/v1/mints?block=3&limit=1"
	c := serveStore(t, openStore(t, finalDB(t)), logTo(&log, observe.AccessLog{Rate: 1}), func(c *httpapi.Config) {
		c.TrustedProxies = []string{"192.0.2.1"}
	})
	const named = `query Counts($secret: Boolean!) { a: __typename @include(if: $secret) b: mints(first: 1) { page } }`
	long := strings.Repeat("n", 100)
	for _, test := range []struct {
		name string
		ask  asked
		want map[string]any
	}{
		{"named", posted(apitest.Request(named, `{"secret":true}`)), map[string]any{
			"method": "POST", "route": "graphql", "operation": "Counts", "hash": httpapi.HashOf(named), "cost": 22., "status": 200.,
		}},
		{"nameless", posted(apitest.Request("{ __typename }", "")), map[string]any{
			"method": "POST", "route": "graphql", "operation": "(none)", "hash": httpapi.HashOf("{ __typename }"), "cost": 1., "status": 200.,
		}},
		{"long name", posted(apitest.Request("query "+long+" { __typename }", "")), map[string]any{
			"method": "POST", "route": "graphql", "operation": long[:64] + "…", "hash": httpapi.HashOf("query " + long + " { __typename }"), "cost": 1., "status": 200.,
		}},
		{"no operation", posted(apitest.Request("{ secret }", "")), map[string]any{"method": "POST", "route": "graphql", "status": 400.}},
		{"batch", posted(apitest.BatchOf(apitest.Request("query A { __typename }", ""), apitest.Request("query B { a: __typename b: __typename }", ""))), map[string]any{
			"method": "POST", "route": "graphql", "operation": "A", "hash": httpapi.HashOf("query A { __typename }"), "cost": 3., "operations": 2., "status": 200.,
		}},
		{"route", gotten(path), map[string]any{"method": "GET", "route": "rest", "operation": "/v1/mints", "cost": 57., "status": 200.}},
		{"route", gotten(path), map[string]any{"method": "GET", "route": "rest", "operation": "/v1/mints", "cost": 57., "status": 200.}},
		{"page", gotten("/assets/none?secret=1"), map[string]any{"method": "GET", "route": "page", "status": 404.}},
		{"nowhere", gotten("/secret"), map[string]any{"method": "GET", "route": "other", "status": 404.}},
		{"odd method", asked{"SECRETSECRETSECRET", "/graphql", ""}, map[string]any{"method": "_OTHER", "route": "graphql", "status": 405.}},
	} {
		got := c.Send(t, test.ask.method, test.ask.path, test.ask.body, "X-Forwarded-For", "203.0.113.9", "X-Request-Id", test.name[:2], "Accept", "application/graphql-response+json, */*;q=.5")
		text := log.String()
		lines := logged(t, &log, "request")
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines: %s", test.name, len(lines), text)
		}
		if bytes := lines[0]["bytes"]; bytes != float64(len(got.Body)) || lines[0]["ms"].(float64) < 0 {
			t.Errorf("%s: %v bytes in %v ms, want %d", test.name, bytes, lines[0]["ms"], len(got.Body))
		}
		for _, name := range []string{"time", "level", "msg", "bytes", "ms"} {
			delete(lines[0], name)
		}
		if test.name == "route" {
			delete(lines[0], "hash")
		}
		test.want["client"], test.want["request"] = "203.0.113.9", test.name[:2]
		// At /graphql, the chain is that of the operation.
		if way := wayOf(t); way == "named" || way == "default" && (test.want["operation"] != nil) {
			test.want["chain"] = "one"
		}
		if diff := cmp.Diff(test.want, lines[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if strings.Contains(strings.ToLower(text), "secret") {
			t.Errorf("%s: %s", test.name, text)
		}
	}
	for _, probe := range []string{"/healthz", "/readyz", "/metrics"} {
		if c.Send(t, http.MethodGet, probe, ""); log.Len() > 0 {
			t.Errorf("%s: %s", probe, log.String())
		}
	}
}

// TestAccessLog_Key checks that a line contains the name of the client's key, and never the
// key.
func TestAccessLog_Key(t *testing.T) {
	var log bytes.Buffer
	c := serveStore(t, nil, logTo(&log, observe.AccessLog{Rate: 1}), withKeys(keyFile{"alice"}.parse(t), admit.Access{}))
	for key, want := range map[string]any{"secret-alice": "alice", "secret-eve": nil, "": nil} {
		c.Send(t, http.MethodGet, "/graphql?query={__typename}", "", "X-API-Key", key)
		text := log.String()
		if lines := logged(t, &log, "request"); len(lines) != 1 || lines[0]["key"] != want || strings.Contains(text, "secret") {
			t.Errorf("%q: want the key %v: %s", key, want, text)
		}
	}
}

// TestAccessLog_Sampling checks that n requests produce n times the rate lines, and that each
// slow request is logged.
func TestAccessLog_Sampling(t *testing.T) {
	for _, test := range []struct {
		access observe.AccessLog
		want   int
	}{
		{observe.AccessLog{}, 0},
		{observe.AccessLog{Rate: 1}, 100},
		{observe.AccessLog{Rate: .25}, 25},
		{observe.AccessLog{Rate: .01}, 1},
		{observe.AccessLog{Slow: time.Hour}, 0},
		{observe.AccessLog{Slow: 1}, 100},
		{observe.AccessLog{Slow: time.Hour, Rate: .5}, 50},
	} {
		var log bytes.Buffer
		c := serveStore(t, nil, logTo(&log, test.access))
		for range 100 {
			c.Send(t, http.MethodGet, "/openapi.json", "")
		}
		if n := len(logged(t, &log, "request")); n != test.want {
			t.Errorf("%+v: %d of 100 are logged, want %d", test.access, n, test.want)
		}
	}
}

// TestRequestID checks that an answer repeats the request's id if it is fit for logs, and has
// a new one otherwise. Errors in the log have the same id.
func TestRequestID(t *testing.T) {
	var log bytes.Buffer
	c := serveStore(t, nil, logTo(&log, observe.AccessLog{}), func(c *httpapi.Config) {
		c.Chains[0].Ready = func(context.Context) error { return apierror.Errorf(apierror.Unavailable, "not yet") }
	})
	seen := map[string]bool{}
	for given, kept := range map[string]bool{
		"a": true, "3f2a-9.x_~:/+=0": true, strings.Repeat("z", 128): true,
		"": false, strings.Repeat("z", 129): false, "a b": false, "a\tb": false, "é": false, `a"b`: false, "a,b": false, "a;b": false, "<a>": false,
	} {
		id := c.Send(t, http.MethodGet, "/readyz", "", "X-Request-Id", given).Header.Get("X-Request-Id")
		if kept != (id == given) || !kept && len(id) != 16 || seen[id] {
			t.Errorf("%q: got %q", given, id)
		}
		seen[id] = true
		if lines := logged(t, &log, "not ready"); len(lines) != 1 || lines[0]["request"] != id {
			t.Errorf("%q: the log has %v", id, lines)
		}
	}
}
