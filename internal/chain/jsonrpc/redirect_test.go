package jsonrpc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// redirectStatuses are the statuses with which a client may send its request elsewhere.
var redirectStatuses = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// TestClient_Redirected checks that a node's URL does not reach another host, port or
// scheme, and that the error names the status and the target, but no credential.
func TestClient_Redirected(t *testing.T) {
	t.Parallel()
	arrived := new(atomic.Int32)
	count := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) })
	plain, secure := httptest.NewServer(count), httptest.NewTLSServer(count)
	defer plain.Close()
	defer secure.Close()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	host := strings.TrimPrefix(node.URL, "http://")
	const credentials = "/SECRETpath?key=SECRETquery"
	for name, target := range map[string]string{
		"port": plain.URL, "scheme": secure.URL, "scheme of the same host": "https://" + host,
		"host": "http://" + strings.Replace(host, "127.0.0.1", "localhost", 1),
	} {
		for _, status := range redirectStatuses {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				defer node.ClearFaults()
				node.Break(0, chaintest.Fault{Status: status, Header: []string{"Location", target + credentials}}, nil)
				_, before := node.AllCalls()
				o := lieOptions()
				o.Transport = secure.Client().Transport
				c := dial(t, o, "http://SECRETuser:SECRETpass@"+host+credentials)
				_, err := c.ChainID(context.Background())
				if err == nil {
					t.Fatal("no error")
				}
				said := err.Error() + c.Health()[0].LastFailure
				if want := fmt.Sprintf("error %d: %s: the redirect to %s is not followed", status, http.StatusText(status), target); !strings.Contains(said, want) || strings.Contains(said, "SECRET") {
					t.Errorf("got %q, want %q", said, want)
				}
				moved := httptest.NewServer(http.RedirectHandler(target+credentials, status))
				defer moved.Close()
				_, err = dial(t, o, strings.Replace(moved.URL, "http://", "ws://SECRETuser:SECRETpass@", 1)+credentials).ChainID(context.Background())
				if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("WebSocket: error %v, want status %d", err, status)
				}
				if _, after := node.AllCalls(); arrived.Load() > 0 || after != before+1 {
					t.Errorf("%d requests arrived at the target, %d at the node", arrived.Load(), after-before)
				}
			})
		}
	}
}

// TestClient_RedirectedWithin checks that a redirect within the same scheme, host and port
// is followed if it keeps the body, without a Referer.
func TestClient_RedirectedWithin(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for _, status := range redirectStatuses {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Referer() != "" {
					t.Errorf("Referer %q", r.Referer())
				}
				if r.URL.Path == "/SECRET" {
					http.Redirect(w, r, "/SECRET/", status)
					return
				}
				node.ServeHTTP(w, r)
			}))
			defer server.Close()
			_, err := dial(t, lieOptions(), server.URL+"/SECRET").ChainID(context.Background())
			if kept := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect; kept != (err == nil) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestClient_RedirectedForever has a node redirect in a circle.
func TestClient_RedirectedForever(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Break(0, chaintest.Fault{Status: http.StatusTemporaryRedirect, Header: []string{"Location", "/again"}}, nil)
	_, err := dial(t, lieOptions(), node.URL).ChainID(context.Background())
	if _, requests := node.AllCalls(); err == nil || requests > 5 {
		t.Errorf("%d requests, error %v", requests, err)
	}
}
