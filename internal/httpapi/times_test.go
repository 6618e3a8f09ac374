package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestCaching_Times sends GET requests for time ranges and finalized blocks. Answers that end
// at or below the finalized block are immutable, and answers that grow with it have an ETag.
func TestCaching_Times(t *testing.T) {
	blocks := recordedBlocks(t)
	data := storeOf(t, blocks)
	finalizedAt(t, data, 296)
	s := serveStore(t, data)
	at := func(number int) uint64 { return blocks[number].Header.Time }
	if at(295) == at(296) || at(296) == at(297) {
		t.Fatal("the finalized block has the time of a neighbour")
	}
	const immutable, revalidate, never = "public, max-age=31536000, immutable", "no-cache", "no-store"
	check := func(when, arguments, want string) {
		t.Helper()
		for _, path := range []string{
			"/graphql?query=" + url.QueryEscape("{ mints("+arguments+") { totalItems data { id } buckets(interval: DAY) { totalItems } } }"),
			"/v1/mints?" + strings.NewReplacer("fromTime: ", "from_time=", "toTime: ", "to_time=", "fromBlock: ", "from_block=", "toBlock: ", "to_block=", "finality: ", "finality=", ", ", "&").Replace(arguments),
		} {
			first := s.Send(t, http.MethodGet, path, "")
			tag := first.Header.Get("ETag")
			if got := first.Header.Get("Cache-Control"); got != want || (want == never) != (tag == "") || first.Status != http.StatusOK {
				t.Errorf("%s%s: status %d, Cache-Control %q, ETag %q, want %q: %s", when, path, first.Status, got, tag, want, first.Body)
			}
			if again := s.Send(t, http.MethodGet, path, "", "If-None-Match", tag); tag != "" && again.Status != http.StatusNotModified {
				t.Errorf("%s%s: status %d for its ETag", when, path, again.Status)
			}
		}
	}
	for arguments, want := range map[string]string{
		fmt.Sprintf("fromTime: %d, toTime: %d", at(1), at(200)):                      immutable,
		fmt.Sprintf("fromTime: %d, toTime: %d", at(1), at(296)-1):                    immutable,
		fmt.Sprintf("fromTime: %d, toTime: %d", at(1), at(296)):                      never, // The next block might have this time.
		fmt.Sprintf("fromTime: %d, toTime: %d, finality: FINALIZED", at(1), at(296)): revalidate,
		fmt.Sprintf("fromTime: %d, toTime: %d, finality: FINALIZED", at(1), at(200)): immutable,
		fmt.Sprintf("fromTime: %d, toBlock: 296", at(1)):                             immutable,
		fmt.Sprintf("fromTime: %d, toBlock: 297", at(1)):                             never,
		fmt.Sprintf("fromBlock: 1, toTime: %d", at(200)):                             immutable,
		fmt.Sprintf("fromBlock: 1, toBlock: 200, toTime: %d", at(300)):               immutable,
		fmt.Sprintf("fromTime: %d", at(1)):                                           never,
		fmt.Sprintf("toTime: %d", at(200)):                                           immutable,
		fmt.Sprintf("toTime: %d", at(296)):                                           never,
		"toBlock: 297, finality: FINALIZED":                                          revalidate,
		"finality: FINALIZED":                                                        revalidate,
		"finality: LATEST":                                                           never,
		"fromBlock: 1, toBlock: 297, finality: FINALIZED":                            revalidate,
		"fromBlock: 1, toBlock: 296, finality: FINALIZED":                            immutable,
	} {
		check("", arguments, want)
	}
	for _, query := range []string{
		"{ mints(finality: FINALIZED) { data { metadata { name } } } }", "{ mints(finality: FINALIZED) { page } chain { lag } }",
		"{ mints(finality: FINALIZED) { page } burns { page } }",
	} {
		if got := s.Send(t, http.MethodGet, "/graphql?query="+url.QueryEscape(query), "").Header.Get("Cache-Control"); got != never {
			t.Errorf("%s: Cache-Control %q", query, got)
		}
	}
	// The times of the blocks next to the range matter too.
	expect.NoError(t, proof.Of(data).ClearVerified(t.Context(), evm.Range{From: 30, To: 30}))
	for arguments, want := range map[string]string{
		fmt.Sprintf("fromTime: %d, toTime: %d", at(31), at(200)):                    revalidate,
		fmt.Sprintf("fromTime: %d, toTime: %d", at(32), at(200)):                    immutable,
		fmt.Sprintf("fromBlock: 31, toTime: %d", at(200)):                           immutable,
		fmt.Sprintf("fromTime: %d, toTime: %d", at(1), at(29)):                      revalidate,
		fmt.Sprintf("fromTime: %d, toTime: %d", at(1), at(28)):                      immutable,
		fmt.Sprintf("fromTime: %d, toTime: %d, finality: FINALIZED", at(1), at(29)): revalidate,
	} {
		check("with block 30 unproved: ", arguments, want)
	}
}

// TestFinal_BeforeIndexed checks that the answer for a range has no tag while the range still grows,
// even if the last final block is above the last indexed one.
func TestFinal_BeforeIndexed(t *testing.T) {
	data := finalStore(t, filepath.Join(t.TempDir(), "final.db"))
	finalizedAt(t, data, 1000)
	s := serveStore(t, data)
	for last, want := range map[int]bool{lastIndexed: true, lastIndexed + 1: false} {
		got := gotten(fmt.Sprintf("/v1/mints?from_block=3&to_block=%d", last)).of(t, s)
		if got.Status != http.StatusOK || (got.Header.Get("ETag") != "") != want {
			t.Errorf("to block %d: status %d, headers %v", last, got.Status, got.Header)
		}
	}
}

// TestREST_Times checks the time and finality parameters, and their errors.
func TestREST_Times(t *testing.T) {
	blocks := recordedBlocks(t)
	data := storeOf(t, blocks)
	finalizedAt(t, data, 296)
	s := serveStore(t, data)
	from, to := blocks[20].Header.Time, blocks[120].Header.Time
	day := func(second uint64, layout string) string {
		return time.Unix(int64(second), 0).UTC().Format(time.DateOnly + layout)
	}
	for path, arguments := range map[string]string{
		fmt.Sprintf("/v1/mints?from_time=%d&to_time=%d", from, to):                                                    fmt.Sprintf("mints(fromTime: %d, toTime: %d)", from, to),
		"/v1/mints?from_time=" + day(from, "T15:04:05Z") + "&to_time=" + day(to, ""):                                  fmt.Sprintf("mints(fromTime: %d, toTime: %d)", from, to-to%86400+86399),
		"/v1/mints?to_time=" + day(to, "T15:04:05Z") + "&from_time=" + day(from, ""):                                  fmt.Sprintf("mints(fromTime: %d, toTime: %d)", from-from%86400, to),
		fmt.Sprintf("/v1/burns?from_time=%d&finality=FINALIZED&order=DESC", from):                                     fmt.Sprintf("burns(fromTime: %d, finality: FINALIZED, order: DESC)", from),
		fmt.Sprintf("/v1/nft/%s/burns?from_block=0&to_block=824&to_time=%d&finality=FINALIZED", collection, to):       fmt.Sprintf("burns(address: %q, fromBlock: 0, toBlock: 824, toTime: %d, finality: FINALIZED)", collection, to),
		fmt.Sprintf("/v1/nft/%s/burns?from_block=0&to_block=824&from_time=%d&finality=&to_time=", collection, from+1): fmt.Sprintf("burns(address: %q, fromBlock: 0, toBlock: 824, fromTime: %d)", collection, from+1),
	} {
		_, got, _ := ofRoute(t, s, path)
		want := s.Get(t, "{ answer: "+arguments+" { totalItems data { logIndex transactionHash } } }", "")["answer"].(map[string]any)
		expect.Equal(t, path+": total", want["totalItems"], got["total_items"])
		if items := got["data"].([]any); len(items) != len(want["data"].([]any)) || len(items) == 0 || apitest.At(items[0], "transaction_hash") != apitest.At(want, "data", 0, "transactionHash") {
			t.Errorf("%s: %v, want %v", path, items, want["data"])
		}
	}
	for path, want := range map[string]string{
		"/v1/mints?from_time=5&to_time=4":                           "from_time: got 5, want Unix seconds up to to_time, which is 4",
		"/v1/mints?finality=SAFE":                                   "finality: got \"SAFE\", want LATEST or FINALIZED",
		"/v1/mints?from_time=9007199254740992":                      "from_time: got \"9007199254740992\", want Unix seconds such as 1801353600, a date",
		"/v1/mints?to_time=2027-01-31T12:00:00":                     "to_time: got \"2027-01-31T12:00:00\", want Unix seconds",
		"/v1/mints?block=3&from_time=5":                             "block can't be combined with from_time: want one or the other",
		"/v1/nft/" + collection + "/burns?from_block=1&to_time=7":   "missing parameter to_block",
		"/v1/mints?from_time=9007199254740991":                      "no block with the time 9007199254740991 or a later one is indexed",
		"/v1/burns?from_block=300&finality=FINALIZED":               "block 300 is not finalized: the finalized block is 296",
		"/v1/mints?buckets=DAY":                                     `unknown parameter "buckets": want block`,
		"/v1/nft/" + collection + "/metadata?finality=FINALIZED":    `unknown parameter "finality": want token_id`,
		"/v1/nft/" + collection + "/1/burns?from_time=1&to_time=2":  "unknown parameter",
		"/v1/mints?from_time=1&from_time=2":                         "the parameter from_time is given twice: want it once",
		"/v1/mints?finality=FINALIZED&transaction_hash=0x00&token=": "unknown parameter",
	} {
		if _, got, _ := ofRoute(t, s, path); !strings.HasPrefix(fmt.Sprint(got["message"]), want) {
			t.Errorf("%s: %v, want %q", path, got["message"], want)
		}
	}
}
