package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
)

// TestLists_TooLong checks that a list with too many values is an error of its field, and does
// not count towards the values of the operation.
func TestLists_TooLong(t *testing.T) {
	s := serve(t)
	long := `["` + strings.Repeat(collection+`", "`, 100) + collection + `"]`
	most := `["` + strings.Repeat(collection+`", "`, 99) + collection + `"]`
	token := `{address: "` + collection + `", tokenId: 1}`
	for name, c := range map[string]struct{ query, variables, path, want string }{
		"a literal":          {"{ a: mints(addresses: " + long + ") { page } b: mints { page } }", "", "a", "addresses: got 101 values"},
		"a variable":         {"query($l: [Address!]) { a: burns(accounts: $l) { page } b: mints { page } }", `{"l": ` + long + `}`, "a", "accounts: got 101 values"},
		"objects":            {"{ a: mints(tokens: [" + strings.Repeat(token+",", 150) + "]) { page } b: mints { page } }", "", "a", "tokens: got 150 values"},
		"with a full one":    {"{ a: mints(addresses: " + long + ") { page } b: mints(addresses: " + most + ") { page } }", "", "a", "addresses: got 101 values"},
		"collections":        {"{ a: collections(addresses: " + long + ") { page } b: mints { page } }", "", "a", "addresses: got 101 values"},
		"below a collection": {`{ a: collection(address: "` + collection + `") { mints(accounts: ` + long + ") { page } } b: mints { page } }", "", "a.mints", "accounts: got 101 values"},
	} {
		a := s.Ask(t, c.query, c.variables)
		if e := a.OnlyError(t, "BAD_USER_INPUT"); !strings.Contains(e.Message, c.want+", want at most 100") || strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Path), " ", "."), "[]") != c.path {
			t.Errorf("%s: %s", name, a.Text)
		}
		if !strings.Contains(a.Text, `"b":{"page":1}`) {
			t.Errorf("%s: the other field has no data: %s", name, a.Text)
		}
	}
	two := "{ a: mints(addresses: " + long + ") { page } b: mints(addresses: " + most + ") { page } c: mints(addresses: " + most + ") { page } }"
	s.Ask(t, two, "").OnlyError(t, "QUERY_TOO_COSTLY")
	got := s.Send(t, "GET", "/v1/mints?addresses="+strings.Repeat(collection+"&addresses=", 101), "")
	if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "addresses: got 101 values") {
		t.Errorf("REST: %d %s", got.Status, got.Body)
	}
}

// lockedBuffer is a buffer that goroutines may write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestMistakes_NotLogged sends bad requests in every way. None may write a WARN, because
// clients could fill the log.
func TestMistakes_NotLogged(t *testing.T) {
	var logged lockedBuffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	plain := serve(t, func(c *httpapi.Config) { c.Log = log })
	long := `["` + strings.Repeat(collection+`", "`, 100) + collection + `"]`
	for _, query := range []string{
		"{ mints(block: 3, tokenId: 1) { page } }", "{ mints(fromBlock: 5, toBlock: 3) { page } }", "{ mints(fromTime: 5, toTime: 3) { page } }",
		`{ mints(block: "` + noHash + `") { page } }`, "{ mints(fromBlock: 9999, toBlock: 99999) { page } }", "{ mints(finality: FINALIZED, fromTime: 9999999999) { page } }",
		`{ mints(block: "safe") { page } }`, "{ mints(block: 3, first: -1) { page } }", `{ mints(block: 3, after: "x") { page } }`, "{ mints(block: 3, addresses: " + long + ") { page } }",
		"{ mints(fromTime: 0, toTime: 9999999999) { buckets(interval: HOUR) { totalItems } } }", "{", "{ price }", `{ node(id: "x") { id } }`, `{ mints(block: 3, block: 4) { page } }`,
	} {
		for _, a := range []*apitest.Reply{plain.Send(t, "GET", "/graphql?query="+url.QueryEscape(query), ""), plain.Post(t, inJSON(query))} {
			if !strings.Contains(a.Body, "errors") {
				t.Errorf("%s: %s", query, a.Body)
			}
		}
	}
	for _, path := range []string{"/v1/block/x/nft/mints", "/v1/mints?block=3&token_id=1", "/v1/mints?from_block=5&to_block=3", "/v1/nowhere", "/v1//mints", "/graphql?query=%zz", "/graphql?variables=x", "/nowhere"} {
		if got := plain.Send(t, "GET", path, ""); got.Status < 400 {
			t.Errorf("%s: status %d", path, got.Status)
		}
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = httpapi.NewServer(plain.Handler, time.Minute, time.Minute, log)
	server.StartTLS()
	defer server.Close()
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x00\x05hello", ""} {
		conn := dial(t, server.Listener.Addr().String())
		_, _ = conn.Write([]byte(bytes))
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
	}
	if text := logged.String(); text != "" {
		t.Errorf("logged: %s", text)
	}
}
