package jsonrpc_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// socketServer serves WebSocket connections, and counts them.
type socketServer struct {
	url    string
	opened atomic.Int32
	conns  chan net.Conn
}

func newSocketServer(t testing.TB, h http.Handler) *socketServer {
	t.Helper()
	s := &socketServer{conns: make(chan net.Conn, 64)}
	server := httptest.NewUnstartedServer(chaintest.Socket(h))
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		s.opened.Add(1)
		s.conns <- conn
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	s.url = strings.Replace(server.URL, "http", "ws", 1)
	return s
}

// TestSockets reads a chain in each way over WebSockets, by many at once.
func TestSockets(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	s := newSocketServer(t, node)
	c := dial(t, lieOptions(), s.url)
	reads := new(errgroup.Group)
	for range 4 {
		for _, read := range readings {
			reads.Go(func() error {
				got, err := read(context.Background(), c, 1, 40)
				if err == nil {
					checkBlocks(t, node.Blocks()[1:], onlyFull(got))
				}
				return err
			})
		}
	}
	expect.NoError(t, reads.Wait())
	if n, most := s.opened.Load(), int32(4*len(readings)); n > most {
		t.Errorf("%d connections, want at most %d, one for each read", n, most)
	}
}

// TestSockets_Faults has servers that close connections, are too slow, and send too much. The
// chain is read, and connections that are idle are used again.
func TestSockets_Faults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		times  int
		opened int32
	}{
		"none":        {chaintest.Fault{}, 0, 1},
		"closes":      {chaintest.Fault{Status: http.StatusBadGateway}, 1, 2},
		"hangs":       {chaintest.Fault{Hang: make(chan struct{})}, 1, 2},
		"is too long": {chaintest.Fault{Pad: 1 << 20}, 3, 2},
		"no JSON":     {chaintest.Fault{Status: http.StatusOK, Body: "<html>"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 40)
			node.Break(test.times, test.fault, func(c chaintest.Call) bool { return test.times > 0 && c.Method == "eth_getLogs" })
			s, o := newSocketServer(t, node), lieOptions()
			o.MaxBody, o.Timeout = 1<<20, time.Second
			checkBlocks(t, node.Blocks()[1:], mustRange(t, dial(t, o, s.url), 1, 40))
			expect.Equal(t, "connections", test.opened, s.opened.Load())
		})
	}
}

// TestSockets_Idle has a server close all connections while they are idle.
func TestSockets_Idle(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	s := newSocketServer(t, node)
	o := lieOptions()
	o.Attempts = 1
	c := dial(t, o, s.url)
	for range 4 {
		_, err := c.Headers(context.Background(), 1, 3)
		expect.NoError(t, err)
		select {
		case conn := <-s.conns:
			conn.Close()
		default:
			t.Fatal("the closed connection was used again")
		}
	}
}

// TestSockets_Handshake has servers that do not accept the connection.
func TestSockets_Handshake(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]http.HandlerFunc{
		"error 401: Unauthorized": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"error 429: slow down": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
		},
		"error 503":                func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		`body "<html>a login page`: func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>a login page")) },
	} {
		t.Run(want, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			o := lieOptions()
			o.Attempts = 1
			c := dial(t, o, strings.Replace(server.URL, "http://", "ws://user:SECRET@", 1))
			_, err := c.ChainID(context.Background())
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// TestSockets_Credentials checks that credentials in the URL become a header.
func TestSockets_Credentials(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 1)
	socket := chaintest.Socket(node)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		socket.ServeHTTP(w, r)
	}))
	defer server.Close()
	_, err := dial(t, lieOptions(), strings.Replace(server.URL, "http://", "ws://me:key@", 1)).ChainID(context.Background())
	expect.NoError(t, err)
}

// TestSockets_Cancelled checks that a read ends with its context, while it waits for an
// answer.
func TestSockets_Cancelled(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	s := newSocketServer(t, node)
	c := dial(t, jsonrpc.Options{}, s.url)
	_, err := c.ChainID(context.Background())
	expect.NoError(t, err)
	arrived := make(chan struct{}, 8)
	node.Break(0, chaintest.Fault{Hang: make(chan struct{})}, func(chaintest.Call) bool {
		arrived <- struct{}{}
		return true
	})
	ctx, cancel := context.WithCancel(context.Background())
	reads := new(errgroup.Group)
	for range 4 {
		reads.Go(func() error {
			_, err := c.Headers(ctx, 1, 1)
			if !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		})
	}
	for range 4 {
		<-arrived
	}
	cancel()
	expect.NoError(t, reads.Wait())
}
