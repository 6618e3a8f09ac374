package command_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// plain is a client that unpacks nothing.
func plain(t *testing.T, protocols *http.Protocols) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableCompression: true, Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func unpack(t *testing.T, coding, text string) string {
	t.Helper()
	var in io.Reader = strings.NewReader(text)
	var err error
	switch coding {
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		in, err = zstd.NewReader(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(unpacked)
}

func TestPacking(t *testing.T) {
	s := serve(t, importChainA(t))
	client := plain(t, nil)
	ask := func(accept, query string) *reply {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/graphql", strings.NewReader(inJSON(query)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", asJSON)
		if accept != "" {
			request.Header.Set("Accept-Encoding", accept)
		}
		return receive(t, client, request)
	}
	const large, small = "{ mints(first: 500) { data { id tokenAddress transactionHash } } }", "{ mints(first: 1) { data { id } } }"
	want := ask("", large)
	if want.header.Get("Content-Encoding") != "" || !strings.HasPrefix(want.body, `{"data":`) {
		t.Fatalf("%s: %.100s", want.header.Get("Content-Encoding"), want.body)
	}
	for accept, coding := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "gzip", "gzip;q=0.5, zstd": "zstd", "gzip, deflate, br": "gzip", "br": "", "identity": "",
		"zstd;q=0.5, gzip": "gzip", "zstd;q=0, gzip;q=0.1": "gzip", "gzip;q=0": "", "*": "gzip", "*;q=0": "", "gzip;q=0, *": "zstd", "x-gzip": "",
	} {
		got := ask(accept, large)
		if got.header.Get("Content-Encoding") != coding {
			t.Errorf("%s: coding %q, want %q", accept, got.header.Get("Content-Encoding"), coding)
			continue
		}
		if unpack(t, coding, got.body) != want.body {
			t.Errorf("%s: another body", accept)
		}
		if coding != "" && len(got.body) > len(want.body)/3 {
			t.Errorf("%s: %d bytes of %d", accept, len(got.body), len(want.body))
		}
		if got := ask(accept, small); got.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: a small answer is packed", accept)
		}
	}
}

func TestPacking_Page(t *testing.T) {
	neededPage(t)
	s := serve(t, emptyDB(t))
	client := plain(t, nil)
	ask := func(path, accept string) *reply {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", accept)
		return receive(t, client, request)
	}
	check := func(t *testing.T, path string) {
		whole, packed := ask(path, "identity"), ask(path, "gzip")
		if packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" || whole.header.Get("Content-Encoding") != "" ||
			packed.header.Get("Content-Type") != whole.header.Get("Content-Type") || packed.header.Get("Cache-Control") != whole.header.Get("Cache-Control") {
			t.Errorf("%s: whole %v, packed %v", path, whole.header, packed.header)
		}
		if unpack(t, "gzip", packed.body) != whole.body || len(packed.body) >= len(whole.body) {
			t.Errorf("%s: %d bytes of %d, or another body", path, len(packed.body), len(whole.body))
		}
	}
	t.Run("page", func(t *testing.T) { check(t, "/") })
	t.Run("assets", func(t *testing.T) {
		for _, asset := range []string{"page-*.js", "page-*.css"} {
			found, err := filepath.Glob(filepath.Join(root, "internal", "httpapi", "assets", "built", asset))
			if err != nil || len(found) == 0 {
				t.Errorf("%s: %q, %v", asset, found, err)
			}
			for _, name := range found {
				check(t, "/assets/"+filepath.Base(name))
			}
		}
	})
}

// TestHTTP2_WithoutTLS asks with prior knowledge, as proxies do.
func TestHTTP2_WithoutTLS(t *testing.T) {
	s := serve(t, importChainA(t))
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := plain(t, &protocols)
	for range 3 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/graphql", strings.NewReader(inJSON("{ mints(first: 2) { limit } }")))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", asJSON)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.ProtoMajor != 2 || string(text) != `{"data":{"mints":{"limit":2}}}` {
			t.Errorf("HTTP/%d: %s, %v", response.ProtoMajor, text, err)
		}
	}
}
