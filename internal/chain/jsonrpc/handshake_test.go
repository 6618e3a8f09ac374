package jsonrpc_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestClient_HangsAtHandshake checks that the health of a WebSocket endpoint that never
// answers the handshake can be read meanwhile.
func TestClient_HangsAtHandshake(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	defer server.Close()
	o := lieOptions()
	o.Attempts = 1
	c := dial(t, o, strings.Replace(server.URL, "http", "ws", 1))
	read := make(chan error)
	go func() {
		_, err := c.Head(context.Background())
		read <- err
	}()
	<-arrived
	expect.Equal(t, "endpoints", 1, len(c.Health()))
	close(release)
	if err := <-read; err == nil {
		t.Error("no error")
	}
}
