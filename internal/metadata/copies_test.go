package metadata_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// fetched resolves a token with a URI.
func fetched(t *testing.T, uri string, o metadata.FetcherOptions) nft.Resolution {
	t.Helper()
	o.AllowPrivate = true
	uris := map[nft.TokenKey]string{token(1): uri}
	w, _ := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, newFetcher(t, o))
	return resolve(t, w)[token(1)]
}

// TestWorker_NextCopy checks that an answer that is no document leads to the next
// gateway, for content and for the URL of a public gateway.
func TestWorker_NextCopy(t *testing.T) {
	const path = "/ipfs/" + cid0 + "/1"
	good := newSite(t, map[string]siteAnswer{path: {Status: 200, Body: document}})
	for name, first := range map[string]siteAnswer{
		"page":               {Status: 200, Body: "<!doctype html><title>Just a moment...</title>"},
		"empty":              {Status: 200},
		"white space":        {Status: 200, Body: " \n"},
		"cut":                {Status: 200, Body: document[:30]},
		"error as JSON":      {Status: 200, Body: `{"error":"blocked"}`},
		"list":               {Status: 200, Body: `[]`},
		"unknown encoding":   {Status: 200, Body: document, Headers: map[string]string{"content-encoding": "br"}},
		"text":               {Status: 200, Body: "context deadline exceeded"},
		"payment required":   {Status: 402},
		"redirect elsewhere": {Status: 302, Headers: map[string]string{"location": "ftp://a.example/"}},
	} {
		t.Run(name, func(t *testing.T) {
			ill := newSite(t, map[string]siteAnswer{path: first})
			for uri, gateways := range map[string][]string{"ipfs://" + cid0 + "/1": {ill.URL, good.URL}, ill.URL + path: {good.URL}} {
				if got := fetched(t, uri, metadata.FetcherOptions{IPFS: gateways}); got.Document == nil || got.Document.Raw != document || got.URI != uri {
					t.Errorf("%s: %q, document %v", uri, got.Problem, got.Document)
				}
				got := fetched(t, uri, metadata.FetcherOptions{IPFS: []string{ill.URL}})
				if got.Document != nil || got.Problem == "" {
					t.Errorf("%s without another gateway: %q, document %v", uri, got.Problem, got.Document)
				}
			}
		})
	}
}

// TestWorker_Arweave fetches the URL of a public Arweave gateway that nobody reaches from the
// operator's gateways.
func TestWorker_Arweave(t *testing.T) {
	good := newSite(t, map[string]siteAnswer{"/" + txID + "/1": {Status: 200, Body: document}})
	uri := "https://arweave.net/" + txID + "/1"
	for _, order := range [][]string{{good.URL}, {"https://arweave.net", good.URL}} {
		got := fetched(t, uri, metadata.FetcherOptions{Arweave: order, Resolver: nameServer(t)})
		if got.Document == nil || got.Document.Raw != document || got.URI != uri {
			t.Errorf("%q: %q, document %v", order, got.Problem, got.Document)
		}
	}
}

// TestWorker_Pictures checks that a URI that leads to a picture makes a document of it.
func TestWorker_Pictures(t *testing.T) {
	for name, test := range map[string]struct{ body, kind string }{
		"png":          {"\x89PNG\r\n\x1a\n", "image/png"},
		"gif":          {"GIF89a", "image/gif"},
		"jpeg":         {"\xFF\xD8\xFF\xE0", "image/jpeg"},
		"webp":         {"RIFF\x01\x00\x00\x00WEBPVP8", "image/webp"},
		"avif":         {"\x00\x00\x00\x1cftypavif", "image/avif"},
		"svg":          {" <svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml"},
		"svg document": {"<?xml version='1.0'?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC ''>\n<svg/>", "image/svg+xml"},
		"page":         {"<!DOCTYPE html><svg>", ""},
		"xml":          {"<?xml version='1.0'?><svgs>", ""},
		"text":         {"an <svg>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if test.kind != "" {
					w.Header().Set("Content-Length", "1000000000000")
				}
				io.WriteString(w, test.body)
				for chunk := strings.Repeat("x", 1<<16); test.kind != "" && r.Context().Err() == nil; {
					n, err := io.WriteString(w, chunk)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			}))
			defer server.Close()
			uri := server.URL + "/a&b\"c"
			got := fetched(t, uri, metadata.FetcherOptions{})
			if test.kind == "" {
				if got.Picture != nil || got.Document != nil {
					t.Errorf("%q, picture %v, document %v", got.Problem, got.Picture, got.Document)
				}
				return
			}
			raw := `{"image": "` + server.URL + `/a&b\"c"}`
			if got.Problem != "the document is "+test.kind+", not JSON" || got.Picture == nil || got.Picture.Raw != raw || got.NextAt == 0 {
				t.Fatalf("%q, next at %d, picture %v", got.Problem, got.NextAt, got.Picture)
			}
			expect.Equal(t, "image", &uri, got.Picture.Image)
			if server.Close(); sent.Load() > 16<<20 {
				t.Errorf("%d bytes were sent", sent.Load())
			}
		})
	}
	const svg = "data:image/svg+xml;utf8,<svg/>"
	got := fetched(t, svg, metadata.FetcherOptions{})
	if got.Picture == nil || *got.Picture.Image != svg {
		t.Errorf("a data: URI: %q, picture %v", got.Problem, got.Picture)
	}
	// The id is replaced as in the request.
	server := newSite(t, map[string]siteAnswer{"/" + id(7): {Status: 200, Body: "GIF89a"}})
	task := nft.Task{TokenKey: nft.TokenKey{Contract: contract, TokenID: evm.NewUint256(7)}, Type: nft.ERC1155}
	caller := &contracts{uri: map[nft.TokenKey]string{task.TokenKey: server.URL + "/{id}"}}
	w, clock := newWorker(&queue{due: []nft.Task{task}}, caller, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}))
	w.Recheck = 1e9
	got = resolve(t, w)[task.TokenKey]
	if got.Picture == nil || *got.Picture.Image != server.URL+"/"+id(7) || got.PictureNextAt != uint64(clock.Now().Unix())+1 {
		t.Errorf("%q, picture %v, next at %d", got.Problem, got.Picture, got.PictureNextAt)
	}
}
