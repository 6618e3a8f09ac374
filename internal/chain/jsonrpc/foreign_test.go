package jsonrpc_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// TestClient_NoJSON checks that an error names status, content type and encoding of a body
// that is no JSON.
func TestClient_NoJSON(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for name, test := range map[string]struct {
		fault chaintest.Fault
		want  string
	}{
		"login page": {
			chaintest.Fault{Status: 200, Body: "<!DOCTYPE html><title>Log in</title>", Header: []string{"Content-Type", "text/html; charset=utf-8"}},
			`got status 200, content-type "text/html; charset=utf-8", body "<!DOCTYPE html><title>Log in</title>"`,
		},
		"Brotli": {
			chaintest.Fault{Status: 200, Body: "\x0b\x02\x80{}\x03", Header: []string{"Content-Encoding", "br"}},
			`got status 200, content-type "application/json", content-encoding "br", body "\v\x02\x80{}\x03"`,
		},
		"nothing":    {chaintest.Fault{Status: 204}, `got status 204, content-type "application/json", body ""`},
		"UTF-16":     {chaintest.Fault{Status: 200, Body: "\xff\xfe{\x00}\x00"}, `got status 200, content-type "application/json", body "\xff\xfe{\x00}\x00"`},
		"error page": {chaintest.Fault{Status: 502, Body: "<html>", Header: []string{"Content-Type", "text/html"}}, `error 502: Bad Gateway: got content-type "text/html", body "<html>"`},
		"error text": {chaintest.Fault{Status: 401, Body: "no such key", Header: []string{"Content-Type", "text/plain"}}, `error 401: Unauthorized: got content-type "text/plain", body "no such key"`},
		"no body":    {chaintest.Fault{Status: 503}, `error 503: Service Unavailable`},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, test.fault, nil)
			_, err := dial(t, lieOptions(), node.URL).ChainID(context.Background())
			if err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestClient_ByteOrderMark checks that a byte order mark before JSON is ignored.
func TestClient_ByteOrderMark(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 20)
	c := dial(t, lieOptions(), changed(t, node.URL, func(body []byte) []byte { return append([]byte("\uFEFF"), body...) }))
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 20))
	node.Break(0, chaintest.Fault{Status: http.StatusBadRequest, Body: "\uFEFF" + `{"error":{"code":-32000,"message":"no"}}`}, nil)
	if _, err := dial(t, lieOptions(), node.URL).ChainID(context.Background()); err == nil || !strings.HasSuffix(err.Error(), "error 400: no") {
		t.Errorf("error %v", err)
	}
}

// TestClient_ForeignText checks that no control or bidirectional character and no credential
// of a node's answer reaches an error.
func TestClient_ForeignText(t *testing.T) {
	t.Parallel()
	const key = "SECRETSECRETSECRET"
	const evil = "\x1b]0;owned\x07 \u009b31m \u202etxt.exe\r\nlevel=ERROR " + key
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(3)
	for name, fault := range map[string]chaintest.Fault{
		"message":   {Code: -32000, Message: evil},
		"data":      {Code: -32000, Message: "no", Data: evil},
		"text":      {Status: 403, Body: evil},
		"page":      {Status: 200, Body: evil},
		"cut":       {Status: 200, Body: strings.Repeat("x", 70) + key},
		"header":    {Status: 200, Body: "no", Header: []string{"Content-Type", "\u202e" + key}},
		"redirect":  {Status: 302, Header: []string{"Location", "https://" + key + ".example/"}},
		"value":     chaintest.Edit(func(h map[string]any) { h["hash"] = evil }),
		"key alone": chaintest.Edit(func(h map[string]any) { h["number"] = key }),
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, chaintest.Method("eth_getBlockByNumber"))
			o := lieOptions()
			o.Attempts = 1
			c := dial(t, o, node.URL+"/"+key)
			_, _, err := c.Full(context.Background(), 2, 2)
			if err == nil {
				t.Fatal("no error")
			}
			for _, text := range []string{err.Error(), c.Health()[0].LastFailure} {
				if evm.Printable(text) != text || strings.Contains(text, "SECRET") {
					t.Errorf("%q", text)
				}
			}
		})
	}
	node.Break(0, chaintest.Fault{Status: 200, Body: `{"id":1,"result":"` + key + `"}`}, nil)
	c := dial(t, jsonrpc.Options{Attempts: 1}, node.URL+"/"+key)
	_, err := c.ChainID(context.Background())
	if err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("chain id: error %v", err)
	}
}
