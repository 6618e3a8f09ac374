package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestOpen_Headers sends headers that do not end: beyond a client's share of their memory its
// connections are closed. Another client is served meanwhile, and the first one once they are closed.
func TestOpen_Headers(t *testing.T) {
	s := serve(t)
	address := limitedServer(t, s.Handler.ServeHTTP, 1_000)
	for name, c := range map[string]struct {
		header string
		// held is about how many such headers a client may hold.
		held int
	}{
		"short fields":  {numbered(9_000, "%x:", "\r\n"), 40},
		"trailer names": {"Trailer: " + numbered(11_000, "%x", ","), 34},
	} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan bool, 200)
			conns := make([]*client, c.held+20)
			for i := range conns {
				conns[i] = dialFrom(t, "127.0.0.1", address)
				fmt.Fprintf(conns[i], "POST /graphql HTTP/1.1\r\nHost: x\r\n%s", c.header)
				go func() {
					_, _ = conns[i].Read(make([]byte, 1))
					closed <- true
				}()
			}
			late := time.After(8 * time.Second)
			for range 15 {
				select {
				case <-closed:
				case <-late:
					t.Fatal("too many headers are held")
				}
			}
			if !dialFrom(t, "127.0.0.2", address).asks() {
				t.Error("another client is not served")
			}
			for _, conn := range conns {
				_ = conn.Close()
			}
			within(t, "the client is served again", func() bool { return dialFrom(t, "127.0.0.1", address).asks() })
		})
	}
	// Requests one after the other hold nothing, nor do their bodies.
	conn := dialFrom(t, "127.0.0.1", address)
	body := `{"query":"{ __typename }"` + strings.Repeat("\n", 500_000) + "}"
	for range 3 {
		fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		if !conn.answered() {
			t.Fatal("a body is not read")
		}
	}
}
