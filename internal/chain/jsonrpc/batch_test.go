package jsonrpc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// noBatches are responses to a batch that answer none of its calls.
var noBatches = map[string]chaintest.Fault{
	"text":           {Status: http.StatusOK, Body: "error message"},
	"JSON text":      {Status: http.StatusOK, Body: `"error message"`},
	"empty list":     {Status: http.StatusOK, Body: "[]"},
	"null":           {Status: http.StatusOK, Body: "null"},
	"number":         {Status: http.StatusOK, Body: "7"},
	"page":           {Status: http.StatusOK, Body: "<!DOCTYPE html><html><body>Welcome</body></html>", Header: []string{"Content-Type", "text/html"}},
	"nothing":        {Status: http.StatusOK},
	"no content":     {Status: http.StatusNoContent},
	"first answer":   {Status: http.StatusOK, Body: `{"jsonrpc":"2.0","id":1,"result":"0x1"}`},
	"other ids":      {Status: http.StatusOK, Body: `[{"id":null,"result":null},{"id":1234,"result":null}]`},
	"list of nulls":  {Status: http.StatusOK, Body: "[null,null]"},
	"500":            {Status: http.StatusInternalServerError},
	"500 with text":  {Status: http.StatusInternalServerError, Body: "error message"},
	"500 with error": {Status: http.StatusInternalServerError, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`},
	"501":            {Status: http.StatusNotImplemented, Body: "not implemented"},
	"502 with page":  {Status: http.StatusBadGateway, Body: "<html>"},
	"400 with text":  {Status: http.StatusBadRequest, Body: "json: cannot unmarshal array"},
	"415":            {Status: http.StatusUnsupportedMediaType, Body: "{}"},
}

// inBatch matches all calls in batches.
func inBatch(c chaintest.Call) bool { return c.Batch > 1 }

// TestClient_NoBatches checks that an endpoint that answers no batches is read with single
// calls, and that it is sent no more batches after a few.
func TestClient_NoBatches(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	for name, fault := range noBatches {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, inBatch)
			o := lieOptions()
			o.Attempts = 1
			for reading, read := range readings {
				got, err := read(context.Background(), dial(t, o, node.URL), 1, 40)
				if err != nil {
					t.Fatalf("%s: %v", reading, err)
				}
				checkBlocks(t, node.Blocks()[1:], onlyFull(got))
			}
			c := dial(t, o, node.URL)
			for range 2 {
				if _, requests := spent(t, node, c, readHeaders(1, 40)); requests > 40+15 {
					t.Errorf("%d requests for 40 headers", requests)
				}
			}
			node.ClearFaults()
			node.Break(0, fault, func(c chaintest.Call) bool {
				if c.Batch > 1 {
					t.Errorf("another batch of %d calls", c.Batch)
				}
				return false
			})
			_, err := c.Headers(context.Background(), 1, 40)
			expect.NoError(t, err)
		})
	}
}

// TestClient_BatchOnce checks that a batch refused once is no reason to send single calls
// from then on.
func TestClient_BatchOnce(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	for name, fault := range noBatches {
		t.Run(name, func(t *testing.T) {
			if name == "first answer" {
				t.Skip("only a server without batches answers so")
			}
			defer node.ClearFaults()
			c := dial(t, lieOptions(), node.URL)
			node.Break(2, fault, inBatch)
			_, err := c.Head(context.Background())
			expect.NoError(t, err)
			if _, requests := spent(t, node, c, readHeaders(1, 40)); requests > 2 {
				t.Errorf("%d requests for 40 headers", requests)
			}
		})
	}
}

// TestClient_Unhealthy checks that an endpoint that refuses single calls too is sent few
// requests before the next endpoint.
func TestClient_Unhealthy(t *testing.T) {
	t.Parallel()
	node, other := filled(t, chaintest.NodeOptions{}, 40), filled(t, chaintest.NodeOptions{}, 40)
	node.Break(0, chaintest.Fault{Status: http.StatusInternalServerError}, chaintest.Method("eth_getBlockByNumber"))
	c := dial(t, lieOptions(), node.URL, other.URL)
	if _, requests := spent(t, node, c, readHeaders(1, 40)); requests > 4 {
		t.Errorf("%d requests to the unhealthy endpoint", requests)
	}
}

// TestClient_Call_NoBatches is [TestClient_NoBatches] for calls of contracts, one of which
// fails alone too.
func TestClient_Call_NoBatches(t *testing.T) {
	t.Parallel()
	for _, calls := range []string{"abxcd", "xabcd"} {
		node := newCallNode(t, nil)
		node.refuse = func(w http.ResponseWriter, letters string) bool {
			if len(letters) > 1 || letters == "x" {
				w.WriteHeader(http.StatusInternalServerError)
				return true
			}
			return false
		}
		got, err := dial(t, lieOptions(), node.URL).Call(context.Background(), callsOf(calls))
		expect.NoError(t, err)
		for i, letter := range []byte(calls) {
			want := echo(letter)
			if letter == 'x' {
				want = evm.CallResult{Problem: "Internal Server Error"}
			}
			expect.Equal(t, string(letter), want, got[i])
		}
	}
}

// TestClient_IDs has nodes return the ids of answers in other forms than JSON numbers.
func TestClient_IDs(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	for _, format := range []string{`"%d"`, `"%#x"`, "%d.0", "%de0", ` "0%o"`} {
		t.Run(format, func(t *testing.T) {
			c := dial(t, lieOptions(), changed(t, node.URL, func(body []byte) []byte {
				for id := 100; id > 0; id-- {
					body = bytes.ReplaceAll(body, fmt.Appendf(nil, `"id":%d,`, id), fmt.Appendf(nil, `"id":`+format+`,`, id))
				}
				return body
			}))
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
		})
	}
}

// TestClient_AnswerLeftOut has a node leave the answer to some calls out of each batch.
func TestClient_AnswerLeftOut(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	o := lieOptions()
	o.Attempts = 1
	c := dial(t, o, changed(t, node.URL, func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`"id":2,`), []byte(`"id":null,`))
	}))
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
}

// changed returns the URL of a proxy to a node that changes the bodies of responses.
func changed(t testing.TB, node string, change func(body []byte) []byte) string {
	t.Helper()
	target, err := url.Parse(node)
	expect.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(response *http.Response) error {
		body, err := io.ReadAll(response.Body)
		body = change(body)
		response.Body = io.NopCloser(bytes.NewReader(body))
		response.ContentLength = int64(len(body))
		response.Header.Del("Content-Length")
		return err
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}
