package command_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/store"
)

// TestCaching asks by GET for what cannot change any more, and for what can.
// The chain has 361 blocks, of which those up to 296 are final.
func TestCaching(t *testing.T) {
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "synced.db")
	mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
	const immutable, revalidate = "public, max-age=31536000, immutable", "no-cache"
	s := serve(t, db)
	get := func(path, known string) *reply { return s.send(t, http.MethodGet, path, "", "If-None-Match", known) }
	hash := s.get(t, "{ mints(block: 3) { data { blockHash } } }", "")["mints"].(map[string]any)["data"].([]any)[0].(map[string]any)["blockHash"]
	const collection = "0x663f3ad617193148711d28f5334ee4ed07016602"
	ask := func(query string) string { return "/graphql?query=" + url.QueryEscape(query) }
	for path, final := range map[string]bool{
		ask("{ mints(block: 3) { totalItems data { id } } }"):                                                                 true,
		ask(fmt.Sprintf("{ mints(block: %q) { data { id } } }", hash)):                                                        true,
		ask("{ mints(block: 296) { totalItems } }"):                                                                           true,
		ask("{ mints(block: 297) { totalItems } }"):                                                                           false,
		ask("{ burns(fromBlock: 0, toBlock: 296, order: DESC) { totalItems } }"):                                              true,
		ask("{ burns(fromBlock: 0, toBlock: 297) { totalItems } }"):                                                           false,
		ask("{ burns(toBlock: 200) { totalItems } }"):                                                                         false,
		ask("{ burns(fromBlock: 0) { totalItems } }"):                                                                         false,
		ask("{ mints { totalItems } }"):                                                                                       false,
		ask("{ mints(block: 3) { data { metadata { name } } } }"):                                                             false,
		ask("{ ...F } fragment F on Query { a: mints(block: 3) { data { ...M } } } fragment M on Mint { metadata { name } }"): false,
		ask("{ ...F } fragment F on Query { a: mints(block: 3) { data { id } } }"):                                            true,
		ask("{ mints(block: 3) { totalItems } chain { lag } }"):                                                               false,
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
		tag := first.header.Get("ETag")
		want := "no-store"
		if final {
			want = immutable
		}
		if got := first.header.Get("Cache-Control"); got != want || final == (tag == "") {
			t.Errorf("%s: Cache-Control %q, ETag %q, want %q: %s", path, got, tag, want, first.body)
		}
		if !final {
			continue
		}
		for _, known := range []string{tag, `"other", ` + tag, "*", tag[2:]} {
			if got := get(path, known); got.status != http.StatusNotModified || got.body != "" || got.header.Get("ETag") != tag {
				t.Errorf("%s with %s: status %d, %q", path, known, got.status, got.body)
			}
		}
		if got := get(path, `W/"other"`); got.status != http.StatusOK {
			t.Errorf("%s with another tag: status %d", path, got.status)
		}
	}
	// A final answer that is not proved may be repaired.
	unproved, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unproved.ClearVerified(t.Context(), store.Range{From: 3, To: 3}), unproved.Close()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		ask("{ mints(block: 3) { totalItems } }"):                          revalidate,
		ask("{ mints(block: 4) { totalItems } }"):                          immutable,
		ask("{ mints(fromBlock: 3, toBlock: 5) { totalItems } }"):          revalidate,
		ask("{ a: mints(block: 4) { page } b: burns(block: 3) { page } }"): revalidate,
		"/v1/block/3/nft/mints":                                            revalidate,
	} {
		first := get(path, "")
		tag := first.header.Get("ETag")
		if got := first.header.Get("Cache-Control"); got != want || tag == "" {
			t.Errorf("%s, with block 3 unproved: Cache-Control %q, ETag %q, want %q", path, got, tag, want)
		}
		if got := get(path, tag); got.status != http.StatusNotModified {
			t.Errorf("%s with %s: status %d", path, tag, got.status)
		}
	}
	posted := s.send(t, http.MethodPost, "/graphql", inJSON("{ mints(block: 3) { totalItems } }"))
	if got := posted.header.Get("Cache-Control"); posted.status != http.StatusOK || got != "no-store" || posted.header.Get("ETag") != "" {
		t.Errorf("a POST: status %d, Cache-Control %q, ETag %q", posted.status, got, posted.header.Get("ETag"))
	}
}
