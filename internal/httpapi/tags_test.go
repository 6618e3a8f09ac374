package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestTags compares blocks named by a tag with the same blocks by number.
func TestTags(t *testing.T) {
	data := storeOf(t, recordedBlocks(t))
	s := serveStore(t, data)
	s.Ask(t, `{ mints(block: "finalized") { page } }`, "").OnlyError(t, "BLOCK_NOT_INDEXED")
	finalizedAt(t, data, 349)
	// The number of a block matters to the answer only in the literal.
	const fields = "{ totalItems cursor indexed { fromBlock toBlock } data { id } edges { cursor } }"
	ask := func(query, variables string) string { return s.Ask(t, query, variables).Text }
	for tag, number := range map[string]string{"latest": "824", "finalized": "349", "earliest": "0"} {
		for _, field := range []string{
			"mints(block: %s)", "burns(block: %s, first: 1)", "mints(block: %s, last: 1, order: DESC)", `burns(block: %s, address: "` + collection + `")`,
			"mints(block: %s, partial: true)",
		} {
			want := ask("{ "+fmt.Sprintf(field, number)+fields+" }", "")
			if strings.Contains(want, "errors") {
				t.Fatalf("%s %s: %s", field, number, want)
			}
			if got := ask("{ "+fmt.Sprintf(field, `"`+tag+`"`)+fields+" }", ""); got != want {
				t.Errorf("%s %s: %s, want %s", field, tag, got, want)
			}
			if got := ask("query($b: BlockNumberOrHash) { "+fmt.Sprintf(field, "$b")+fields+" }", `{"b": "`+tag+`"}`); got != want {
				t.Errorf("%s, the variable %s: %s, want %s", field, tag, got, want)
			}
		}
		for _, path := range []string{"/v1/block/%s/nft/mints", "/v1/mints?block=%s", "/v1/burns?limit=1&block=%s"} {
			want := s.Send(t, "GET", fmt.Sprintf(path, number), "").Body
			got := s.Send(t, "GET", fmt.Sprintf(path, tag), "")
			if got.Status != http.StatusOK || got.Body != want || got.Header.Get("Cache-Control") != "no-cache" {
				t.Errorf("%s: %d %q %s, want %s", fmt.Sprintf(path, tag), got.Status, got.Header.Get("Cache-Control"), got.Body, want)
			}
			if again := s.Send(t, "GET", fmt.Sprintf(path, tag), "", "If-None-Match", got.Header.Get("ETag")); again.Status != http.StatusNotModified {
				t.Errorf("%s with its ETag: status %d", fmt.Sprintf(path, tag), again.Status)
			}
		}
		got := s.Send(t, "GET", "/graphql?query="+url.QueryEscape(`{ mints(block: "`+tag+`") { totalItems } b: burns(block: 3) { page } }`), "").Header.Get("Cache-Control")
		expect.Equal(t, "Cache-Control of "+tag, "no-cache", got)
	}
	for _, tag := range []string{"safe", "pending", "Latest", "EARLIEST", "head"} {
		e := s.Ask(t, `{ mints(block: "`+tag+`") { page } }`, "").OnlyError(t, "BAD_USER_INPUT")
		if !strings.Contains(e.Message, "latest, finalized or earliest") {
			t.Errorf("%s: %s", tag, e.Message)
		}
		if got := s.Send(t, "GET", "/v1/block/"+tag+"/nft/mints", ""); got.Status != http.StatusBadRequest {
			t.Errorf("REST, %s: status %d: %s", tag, got.Status, got.Body)
		}
	}
	empty := serveStore(t, emptyStore(t))
	for _, tag := range []string{"latest", "finalized", "earliest"} {
		empty.Ask(t, `{ mints(block: "`+tag+`") { page } }`, "").OnlyError(t, "BLOCK_NOT_INDEXED")
	}
	above := serveStore(t, storeOf(t, recordedBlocks(t)[100:]))
	above.Ask(t, `{ mints(block: "earliest") { page } }`, "").OnlyError(t, "BLOCK_NOT_INDEXED")
}

// TestTags_Cursor walks through the latest block while later blocks arrive and a reorg
// replaces them.
func TestTags_Cursor(t *testing.T) {
	linked := func(list []nft.Block) []nft.Block {
		for i := range list[1:] {
			list[i+1].Header.ParentHash = list[i].Header.Hash
		}
		return list
	}
	all := linked(version(1).blocks(0, 12))
	fork := linked(slices.Concat(all[5:6], version(2).blocks(6, 20)))[1:]
	data := storeOf(t, all[:10])
	s := serveStore(t, data)
	list := func(arguments string) any {
		return s.Get(t, `{ mints(block: "latest", `+arguments+`) { cursor totalItems data { blockNumber } pageInfo { startCursor endCursor } } }`, "")["mints"]
	}
	cursors := map[string]string{}
	for _, arguments := range []string{"first: 5", "first: 0", "first: 5, order: DESC", "first: 0, order: DESC"} {
		cursors[arguments] = apitest.At(list(arguments), "cursor").(string)
	}
	back := apitest.At(list("last: 5"), "pageInfo", "startCursor").(string)
	if _, err := data.Apply(t.Context(), all[10:]); err != nil {
		t.Fatal(err)
	}
	for arguments, cursor := range cursors {
		for _, block := range []string{`"latest"`, `"finalized"`, `"earliest"`, "9"} {
			got := s.Get(t, fmt.Sprintf(`{ mints(block: %s, %s, after: %q) { totalItems data { blockNumber } } }`, block, strings.Replace(arguments, ": 0", ": 1", 1), cursor), "")
			if n := fmt.Sprint(apitest.At(got, "mints", "data", 0, "blockNumber")); n != "9" {
				t.Errorf("%s, then %s: block %s, want 9", arguments, block, n)
			}
		}
	}
	if n := fmt.Sprint(apitest.At(list(fmt.Sprintf("before: %q, last: 1", back)), "data", 0, "blockNumber")); n != "9" {
		t.Errorf("backward: block %s, want 9", n)
	}
	if n := fmt.Sprint(apitest.At(list("first: 1"), "data", 0, "blockNumber")); n != "12" {
		t.Errorf("without a cursor: block %s, want 12", n)
	}
	s.Ask(t, fmt.Sprintf(`{ mints(block: "latest", address: %q, after: %q) { page } }`, "0x0100000000000000000000000000000000000000", cursors["first: 5"]), "").OnlyError(t, "INVALID_CURSOR")
	s.Ask(t, fmt.Sprintf(`{ mints(block: "latest", after: %q) { page } }`, apitest.At(s.Get(t, "{ mints(first: 1) { cursor } }", ""), "mints", "cursor")), "").OnlyError(t, "INVALID_CURSOR")

	expect.NoError(t, data.ReplaceAbove(t.Context(), 5, fork, false))
	e := s.Ask(t, fmt.Sprintf(`{ mints(block: "latest", after: %q) { page } }`, cursors["first: 5"]), "").OnlyError(t, "CURSOR_REORGED")
	got := s.Get(t, fmt.Sprintf(`{ mints(block: "latest", after: %q, first: 100) { totalItems data { blockNumber timestamp } } }`, e.Extensions["rewindCursor"]), "")
	if n := fmt.Sprint(apitest.At(got, "mints", "data", 19)); n != "map[blockNumber:9 timestamp:2]" {
		t.Errorf("after the reorg: %s, want all of the new block 9", n)
	}
}
