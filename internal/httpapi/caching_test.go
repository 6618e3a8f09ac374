package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestCaching sends GET requests for final and other answers. The chain has 825 blocks, final
// up to 296.
func TestCaching(t *testing.T) {
	data := storeOf(t, recordedBlocks(t))
	finalizedAt(t, data, 296)
	s := serveStore(t, data)
	const immutable, revalidate = "public, max-age=31536000, immutable", "no-cache"
	get := func(path, known string) *apitest.Reply {
		return s.Send(t, http.MethodGet, path, "", "If-None-Match", known)
	}
	ask := func(query string) string { return "/graphql?query=" + url.QueryEscape(query) }
	for path, final := range map[string]bool{
		ask("{ mints(block: 3) { totalItems data { id } } }"):                                                                 true,
		ask(fmt.Sprintf("{ mints(block: %q) { data { id } } }", block3)):                                                      true,
		ask("{ mints(block: 296) { totalItems } }"):                                                                           true,
		ask("{ mints(block: 297) { totalItems } }"):                                                                           false,
		ask("{ burns(fromBlock: 0, toBlock: 296, order: DESC) { totalItems } }"):                                              true,
		ask("{ burns(fromBlock: 0, toBlock: 297) { totalItems } }"):                                                           false,
		ask("{ burns(toBlock: 200) { totalItems } }"):                                                                         true,
		ask("{ burns(toBlock: 297) { totalItems } }"):                                                                         false,
		ask("{ burns(fromBlock: 0) { totalItems } }"):                                                                         false,
		ask("{ mints { totalItems } }"):                                                                                       false,
		ask("{ mints(block: 3) { data { metadata { name } } } }"):                                                             false,
		ask("{ ...F } fragment F on Query { a: mints(block: 3) { data { ...M } } } fragment M on Mint { metadata { name } }"): false,
		ask("{ ...F } fragment F on Query { a: mints(block: 3) { data { id } } }"):                                            true,
		ask("{ mints(block: 3) { totalItems } chain { lag } }"):                                                               false,
		ask("{ mints(block: 3) { totalItems } chain @skip(if: true) { lag } }"):                                               true,
		ask("{ __typename }"): false,
		ask("{ mints(block: 3, first: 5000) { totalItems } }"):                                                                    false,
		ask("query($b: BlockNumberOrHash!) { mints(block: $b) { totalItems } }") + "&variables=" + url.QueryEscape(`{"b":"0x3"}`): true,
		"/v1/block/3/nft/mints":   true,
		"/v1/block/300/nft/mints": false,
		"/v1/nft/" + collection + "/burns?from_block=1&to_block=100":  true,
		"/v1/nft/" + collection + "/burns?from_block=1&to_block=1000": false,
		"/v1/nft/" + collection + "/1/burns":                          false,
		"/v1/nft/" + collection + "/metadata":                         false,
	} {
		first := get(path, "")
		tag := first.Header.Get("ETag")
		want := "no-store"
		if final {
			want = immutable
		}
		if got := first.Header.Get("Cache-Control"); got != want || final == (tag == "") {
			t.Errorf("%s: Cache-Control %q, ETag %q, want %q: %s", path, got, tag, want, first.Body)
		}
		if !final {
			continue
		}
		for _, known := range []string{tag, `"other", ` + tag, "*", tag[2:]} {
			if got := get(path, known); got.Status != http.StatusNotModified || got.Body != "" || got.Header.Get("ETag") != tag {
				t.Errorf("%s with %s: status %d, %q", path, known, got.Status, got.Body)
			}
		}
		if got := get(path, `W/"other"`); got.Status != http.StatusOK {
			t.Errorf("%s with another tag: status %d", path, got.Status)
		}
	}
	// Older blocks may be indexed later.
	later := storeOf(t, recordedBlocks(t)[1:])
	finalizedAt(t, later, 296)
	for _, query := range []string{"{ burns(toBlock: 200) { totalItems } }", "{ mints(toTime: 1792411200) { totalItems } }"} {
		if got := serveStore(t, later).Send(t, http.MethodGet, ask(query), ""); got.Header.Get("ETag") != "" {
			t.Errorf("%s without block 0: %v", query, got.Header)
		}
	}
	// A repair may change a final answer that is not proved.
	expect.NoError(t, proof.Of(data).ClearVerified(t.Context(), evm.Range{From: 3, To: 3}))
	for path, want := range map[string]string{
		ask("{ mints(block: 3) { totalItems } }"):                          revalidate,
		ask("{ mints(block: 4) { totalItems } }"):                          immutable,
		ask("{ mints(fromBlock: 3, toBlock: 5) { totalItems } }"):          revalidate,
		ask("{ a: mints(block: 3) { page } b: burns(block: 4) { page } }"): revalidate,
		ask("{ a: mints(block: 4) { page } b: burns(block: 3) { page } }"): revalidate,
		"/v1/block/3/nft/mints":                                            revalidate,
	} {
		first := get(path, "")
		tag := first.Header.Get("ETag")
		if got := first.Header.Get("Cache-Control"); got != want || tag == "" {
			t.Errorf("%s, with block 3 unproved: Cache-Control %q, ETag %q, want %q", path, got, tag, want)
		}
		if got := get(path, tag); got.Status != http.StatusNotModified {
			t.Errorf("%s with %s: status %d", path, tag, got.Status)
		}
	}
	posted := s.Post(t, inJSON("{ mints(block: 3) { totalItems } }"))
	if got := posted.Header.Get("Cache-Control"); posted.Status != http.StatusOK || got != "no-store" || posted.Header.Get("ETag") != "" {
		t.Errorf("a POST: status %d, Cache-Control %q, ETag %q", posted.Status, got, posted.Header.Get("ETag"))
	}
}
