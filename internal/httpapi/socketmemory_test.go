package httpapi_test

import (
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/expect"
)

// within polls done until it returns true, for at most 20 s.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// TestSocket_Unread sends pings without reading the answers: the answer that waits counts in the
// memory for open requests, until the connection is closed.
func TestSocket_Unread(t *testing.T) {
	t.Parallel()
	s := online(t, serve(t, withTimes(func(l *httpapi.Limits) { l.Write = 2 * time.Second })))
	memory := func() int {
		found := regexp.MustCompile(`mintburn_answer_memory_bytes (\d+)`).FindStringSubmatch(s.Send(t, "GET", "/metrics", "").Body)
		n, err := strconv.Atoi(found[1])
		expect.NoError(t, err)
		return n
	}
	conn := connect(t, s.Base).begin(t)
	idle := memory()
	expect.NoError(t, conn.NetConn().(*net.TCPConn).SetReadBuffer(4<<10))
	ping := []byte(`{"type":"ping","payload":"` + strings.Repeat("x", 4_000) + `"}`)
	failed := make(chan error)
	go func() {
		for {
			if err := conn.WriteMessage(websocket.TextMessage, ping); err != nil {
				failed <- err
				return
			}
		}
	}()
	within(t, "the memory of an answer that waits", func() bool { return memory() >= idle+4_000 })
	<-failed
	within(t, "the memory of a closed connection", func() bool { return memory() == 0 })
}

// TestSocket_Freed checks that nothing holds a connection that has ended, however its client left.
func TestSocket_Freed(t *testing.T) {
	for name, leave := range map[string]func(socket){
		"reset":          func(c socket) { _ = c.NetConn().(*net.TCPConn).SetLinger(0) },
		"closed":         func(socket) {},
		"after messages": func(c socket) { c.begin(t) },
	} {
		t.Run(name, func(t *testing.T) {
			freed, client := make(chan bool, 1), serve(t, withTimes(func(l *httpapi.Limits) { l.Ping, l.Init = time.Hour, time.Hour }))
			server := httpapi.NewServer(client.Handler, time.Minute, time.Minute, slog.New(slog.DiscardHandler))
			server.ConnState = func(conn net.Conn, state http.ConnState) {
				if state == http.StateHijacked {
					runtime.AddCleanup(conn.(*net.TCPConn), func(freed chan bool) { freed <- true }, freed)
				}
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			expect.NoError(t, err)
			go func() { _ = server.Serve(l) }()
			t.Cleanup(func() { _ = server.Close() })
			c := connect(t, "http://"+l.Addr().String())
			leave(c)
			expect.NoError(t, c.Close())
			within(t, "the memory of the connection", func() bool {
				runtime.GC()
				return len(freed) == 1
			})
		})
	}
}
