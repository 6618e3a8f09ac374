package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/expect"
)

// send sends a POST with a body of so many bytes as clients do that read the answer only after
// they have sent everything.
func send(t *testing.T, conn net.Conn, path, header string, body int, chunked bool) (*http.Response, error) {
	t.Helper()
	expect.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	length := fmt.Sprintf("Content-Length: %d\r\n", body)
	if chunked {
		length = "Transfer-Encoding: chunked\r\n"
	}
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n", path, length, header); err != nil {
		return nil, err
	}
	part := strings.Repeat("x", 64<<10)
	for left := body; left > 0; left -= len(part) {
		text := part[:min(left, len(part))]
		if chunked {
			text = fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
		}
		if _, err := io.WriteString(conn, text); err != nil {
			return nil, err
		}
	}
	if chunked {
		_, _ = io.WriteString(conn, "0\r\n\r\n")
	}
	return http.ReadResponse(bufio.NewReader(conn), nil)
}

// TestErrors_Arrive sends large bodies that are refused, and reads the answers afterwards.
func TestErrors_Arrive(t *testing.T) {
	keys := withKeys(keyFile{"poor quota=1"}.parse(t), admit.Access{Required: true})
	open, closed := online(t, serve(t)), online(t, serve(t, keys))
	closed.Send(t, "GET", mintsPath, "", "X-API-Key", "secret-poor")
	const json = "Content-Type: application/json\r\n"
	for name, c := range map[string]struct {
		base, path, header string
		want               int
	}{
		"too large":       {open.Base, "/graphql", json, 413},
		"no JSON":         {open.Base, "/graphql", "Content-Type: text/plain\r\n", 415},
		"compressed":      {open.Base, "/graphql", json + "Content-Encoding: gzip\r\n", 415},
		"no key":          {closed.Base, "/graphql", json, 401},
		"no quota":        {closed.Base, "/graphql", json + "X-API-Key: secret-poor\r\n", 429},
		"a route":         {open.Base, "/v1/mints", json, 405},
		"no route":        {open.Base, "/nowhere", json, 404},
		"the page":        {open.Base, "/", json, 405},
		"not acceptable":  {open.Base, "/graphql", json + "Accept: image/png\r\n", 406},
		"an unclean path": {open.Base, "/v1//mints", json, 400},
	} {
		for _, chunked := range []bool{false, true} {
			response, err := send(t, dial(t, c.base), c.path, c.header, 10<<20, chunked)
			if err != nil {
				t.Errorf("%s, chunked %t: %v", name, chunked, err)
				continue
			}
			text, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || response.StatusCode != c.want || len(text) == 0 {
				t.Errorf("%s, chunked %t: status %d, want %d: %s, %v", name, chunked, response.StatusCode, c.want, text, err)
			}
		}
	}
}

// TestErrors_Stalled checks that an error does not wait for a body that never comes, and that
// a client that waits for "100 Continue" is refused without it.
func TestErrors_Stalled(t *testing.T) {
	s := online(t, serve(t))
	for name, c := range map[string]struct {
		length int
		header string
		want   int
	}{
		"a small body": {1000, "Content-Type: text/plain\r\n", 415}, "a large body": {500_000, "Content-Type: text/plain\r\n", 415},
		"a huge body": {1 << 40, "Content-Type: application/json\r\n", 413}, "a huge body later": {1 << 40, "Content-Type: application/json\r\nExpect: 100-continue\r\n", 413},
	} {
		conn := dial(t, s.Base)
		expect.NoError(t, conn.SetDeadline(time.Now().Add(4*time.Second)))
		fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n", c.length, c.header)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		expect.NoError(t, err)
		_ = response.Body.Close()
		expect.Equal(t, name, c.want, response.StatusCode)
	}
}

// TestHeaders_Descriptions checks that files that are no pages have the headers of the page's.
func TestHeaders_Descriptions(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/metrics", "/openapi.json", "/schema.graphql"} {
		got := s.Send(t, "GET", path, "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.Status != http.StatusOK || got.Header.Get(name) != want {
				t.Errorf("%s: status %d, %s %q, want %q", path, got.Status, name, got.Header.Get(name), want)
			}
		}
	}
}
