package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"mintburn/internal/testing/expect"
)

// limitedServer serves a handler over at most so many connections until the test ends.
func limitedServer(t *testing.T, handler http.HandlerFunc, most int, proxies ...string) (address string) {
	if runtime.GOOS != "linux" {
		t.Skip("needs several addresses of this machine")
	}
	return listenWithin(t, handler, time.Minute, most, proxies...)
}

// client is a connection.
type client struct {
	net.Conn
	answers *bufio.Reader
}

// dialFrom opens a connection from a local address.
func dialFrom(t *testing.T, host, address string) *client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	expect.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

// asks sends a request and reports whether it is answered.
func (c *client) asks() bool {
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	return c.answered()
}

// answered reports whether an answer arrives.
func (c *client) answered() bool {
	response, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return false
	}
	response.Body.Close()
	return true
}

// TestConnections checks that a new connection replaces the oldest idle one of the client with
// the most connections.
func TestConnections(t *testing.T) {
	address := limitedServer(t, func(http.ResponseWriter, *http.Request) {}, 3)
	var many []*client
	for range 3 {
		// They send no requests, because an answered connection may not count as idle yet.
		many = append(many, dialFrom(t, "127.0.0.2", address))
	}
	if dialFrom(t, "127.0.0.2", address).asks() {
		t.Error("one more of the client that has all others")
	}
	other := dialFrom(t, "127.0.0.3", address)
	if !other.asks() {
		t.Error("another client is not served")
	}
	if many[0].asks() || !many[1].asks() || !many[2].asks() {
		t.Error("want the oldest connection closed, and no other")
	}
	// A closed connection leaves room for another.
	many[1].Close()
	for !dialFrom(t, "127.0.0.2", address).asks() {
		// The server has not noticed the close yet.
	}
	if !many[2].asks() || !other.asks() {
		t.Error("another connection was closed")
	}
}

// TestConnections_Active checks that active connections are closed last.
func TestConnections_Active(t *testing.T) {
	came, end := make(chan bool), make(chan bool)
	address := limitedServer(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			came <- true
			<-end
		}
	}, 2)
	active, idle := dialFrom(t, "127.0.0.2", address), dialFrom(t, "127.0.0.2", address)
	fmt.Fprint(active, "PUT / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-came
	if !dialFrom(t, "127.0.0.3", address).asks() || idle.asks() {
		t.Error("want the idle connection closed")
	}
	close(end)
	if !active.answered() {
		t.Error("the active connection was closed")
	}
}

// TestConnections_OfProxies checks that the connections of trusted proxies count, but that no
// open one is closed for another.
func TestConnections_OfProxies(t *testing.T) {
	address := limitedServer(t, func(http.ResponseWriter, *http.Request) {}, 3, "127.0.0.2")
	var proxies []*client
	for range 2 {
		proxies = append(proxies, dialFrom(t, "127.0.0.2", address))
	}
	first := dialFrom(t, "127.0.0.3", address)
	for _, c := range append(proxies, first) {
		if !c.asks() {
			t.Fatal("a connection within the bound is not served")
		}
	}
	if !dialFrom(t, "127.0.0.2", address).asks() || first.asks() {
		t.Error("a proxy's connection takes the place of none")
	}
	if dialFrom(t, "127.0.0.3", address).asks() {
		t.Error("a client took the place of a proxy")
	}
	if dialFrom(t, "127.0.0.2", address).asks() {
		t.Error("more connections than the bound")
	}
	for _, c := range proxies {
		if !c.asks() {
			t.Error("a proxy lost a connection")
		}
	}
}
