package httpapi_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/nft"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// changesAnswer is an answer of the route of changes.
type changesAnswer struct {
	Cursor string
	More   bool
	Head   map[string]any
	Data   []map[string]any
}

// changesAfter requests changes, which must succeed.
func changesAfter(t testing.TB, s *apitest.Client, query string) (b changesAnswer) {
	t.Helper()
	got := s.Send(t, http.MethodGet, "/v1/changes?"+query, "")
	if got.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", query, got.Status, got.Body)
	}
	apitest.Decode(t, got.Body, &b)
	return b
}

// changed returns a store with every kind of change since a cursor.
func changed(t testing.TB) (s *write.DB, after string) {
	t.Helper()
	blocks := generated(30, 10)
	s = storeOf(t, blocks[:20])
	after = changesAfter(t, serveStore(t, s), "").Cursor
	_, err := s.Apply(t.Context(), blocks[20:])
	expect.NoError(t, err)
	fork := generated(10, 10, func(o *chaintest.Options) { o.Seed, o.FirstBlock = 2, 16 })
	fork[0].Header.ParentHash = blocks[14].Header.Hash
	expect.NoError(t, s.ReplaceAbove(t.Context(), 15, fork, false))
	name := `a "name" <&>`
	var documents []nft.TokenMetadata
	for _, m := range slices.Concat(blocks[3].Mints, fork[5].Mints) {
		documents = append(documents, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: m.Contract, TokenID: m.TokenID}, Type: m.Type, FetchedAt: 9, URI: "ipfs://x", Raw: "{}",
			Metadata: nft.Metadata{Name: &name, Attributes: []nft.Attribute{{TraitType: "a", Value: "b", Order: 1}}}})
	}
	expect.NoError(t, s.PutMetadata(t.Context(), documents))
	expect.NoError(t, s.SetFinalized(t.Context(), fork[1].Header))
	return s, after
}

// TestChanges compares the answers with the lines of mintburn changes, for all filters and
// several page sizes.
func TestChanges(t *testing.T) {
	store, after := changed(t)
	s := serveStore(t, store)
	mint := changesAfter(t, s, "limit=1000&kind=added&after="+after).Data[1]["mint"].(map[string]any)
	address, err := evm.ParseAddress(mint["token_address"].(string))
	expect.NoError(t, err)
	account, err := evm.ParseAddress(mint["to"].(string))
	expect.NoError(t, err)
	kinds := map[string]int{}
	for query, filter := range map[string]feed.Filter{
		"":                                    {},
		"&address=" + address.String():        {Addresses: []evm.Address{address}},
		"&account=" + account.String():        {Accounts: []evm.Address{account}},
		"&kind=voided&kind=metadata":          {Kinds: []feed.Kind{feed.Voided, feed.Metadata}},
		"&kind=finalized&address=":            {Kinds: []feed.Kind{feed.Finalized}, Addresses: []evm.Address{}},
		"&kind=added&account=" + noneAddress:  {Kinds: []feed.Kind{feed.Added}, Accounts: []evm.Address{{1}}},
		"&kind=&account=" + account.String():  {Kinds: []feed.Kind{}, Accounts: []evm.Address{account}},
		"&kind=finalized&kind=added&account=": {Kinds: []feed.Kind{feed.Finalized, feed.Added}, Accounts: []evm.Address{}},
	} {
		var lines bytes.Buffer
		for cursor, more := after, true; more; {
			batch, err := export.ReadChanges(t.Context(), store.DB, filter, &cursor)
			expect.NoError(t, err)
			expect.NoError(t, export.WriteChanges(&lines, batch.Changes))
			cursor, more = batch.Cursor, batch.More
		}
		var want []map[string]any
		for line := range strings.Lines(lines.String()) {
			var change map[string]any
			apitest.Decode(t, line, &change)
			// Cursors depend on the size of the batch.
			delete(change, "cursor")
			want = append(want, change)
			kinds[change["kind"].(string)]++
		}
		checkOpenAPI(t, s, false, openAPIRequest{Route: "/v1/changes", Path: "/v1/changes?limit=1000&after=" + after + query, Status: 200})
		for _, limit := range []string{"1", "7", "1000"} {
			var got []map[string]any
			for b := (changesAnswer{Cursor: after, More: true}); b.More; {
				b = changesAfter(t, s, "after="+b.Cursor+"&limit="+limit+query)
				got = append(got, b.Data...)
				if b.Head["number"] != json.Number("25") || len(b.Head) != 3 {
					t.Errorf("head %v", b.Head)
				}
			}
			for _, change := range got {
				delete(change, "cursor")
			}
			expect.Equal(t, query+", limit "+limit+" (command, REST)", want, got)
		}
	}
	for _, kind := range []string{"added", "voided", "finalized", "metadata"} {
		if kinds[kind] == 0 {
			t.Errorf("no change is %s: %v", kind, kinds)
		}
	}
}

const noneAddress = "0x0100000000000000000000000000000000000000"

func TestChanges_Errors(t *testing.T) {
	store, after := changed(t)
	s := serveStore(t, store)
	events := []string{"Accept", "text/event-stream"}
	for _, test := range []struct {
		query   string
		header  []string
		status  int
		code    string
		message string
	}{
		{"wait=61s", nil, 400, "BAD_USER_INPUT", `wait: got "61s", want a duration from 0s to 1m0s`},
		{"wait=-1s", nil, 400, "BAD_USER_INPUT", "wait: got"},
		{"wait=30", nil, 400, "BAD_USER_INPUT", "wait: got"},
		{"wait=1s&wait=2s", nil, 400, "BAD_USER_INPUT", "the parameter wait is given twice"},
		{"limit=1001&after=" + after, nil, 400, "BAD_USER_INPUT", "limit: got 1001, want 0 to 1000"},
		{"limit=x", nil, 400, "BAD_USER_INPUT", "limit: got"},
		{"kind=ADDED", nil, 400, "BAD_USER_INPUT", `kind: got "ADDED", want added, voided, finalized, metadata`},
		{"kind=metadata&account=" + noneAddress, nil, 400, "BAD_USER_INPUT", "kind: got metadata"},
		{"address=0x1", nil, 400, "BAD_USER_INPUT", "address[0]: got"},
		{strings.Repeat("address="+noneAddress+"&", 101), nil, 400, "BAD_USER_INPUT", "address: got 101 values, want at most 100"},
		{"cursor=" + after, nil, 400, "BAD_USER_INPUT", `unknown parameter "cursor": want after`},
		{"after=x", nil, 400, "INVALID_CURSOR", "invalid cursor"},
		{"after=", nil, 400, "INVALID_CURSOR", "invalid cursor"},
		{"after=&wait=1s", nil, 400, "INVALID_CURSOR", "invalid cursor"},
		{"after=", events, 400, "INVALID_CURSOR", "invalid cursor"},
		{"lastEventId=" + after, nil, 400, "BAD_USER_INPUT", `unknown parameter "lastEventId": want after`},
		{"lastEventId=x&after=" + after, events, 400, "INVALID_CURSOR", "invalid cursor"},
		{"lastEventId=x&lastEventId=y", events, 400, "BAD_USER_INPUT", "the parameter lastEventId is given twice"},
		{"wait=1s", events, 400, "BAD_USER_INPUT", "wait: an event stream has none"},
		{"limit=1", events, 400, "BAD_USER_INPUT", "limit: an event stream has none"},
		{"after=" + after, append(events, "Last-Event-ID", "x"), 400, "INVALID_CURSOR", "invalid cursor"},
	} {
		got := s.Send(t, http.MethodGet, "/v1/changes?"+test.query, "", test.header...)
		var failed struct{ Message, Code string }
		apitest.Decode(t, got.Body, &failed)
		if got.Status != test.status || failed.Code != test.code || !strings.HasPrefix(failed.Message, test.message) || test.code == "BAD_USER_INPUT" && !apitest.Accepted.MatchString(failed.Message) {
			t.Errorf("%.80s %v: status %d, %s: want %v", test.query, test.header, got.Status, got.Body, test)
		}
	}
}

// TestChanges_EmptyCursor checks that a query does not begin now if a client has lost its cursor.
func TestChanges_EmptyCursor(t *testing.T) {
	store, after := changed(t)
	s := serveStore(t, store)
	const query = "query($after: Cursor) { changes(after: $after) { cursor } }"
	for variables, code := range map[string]string{`{"after":""}`: "INVALID_CURSOR", `{"after":"` + after + `"}`: "", `{"after":null}`: "", "{}": ""} {
		if got := s.Post(t, apitest.Request(query, variables)); code != "" {
			got.OnlyError(t, code)
		} else if strings.Contains(got.Body, "errors") {
			t.Errorf("%s: %s", variables, got.Body)
		}
	}
}

// forget makes the log of a store another one, as a restored backup does.
func forget(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	expect.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE changes SET nonce = nonce + 1")
	expect.NoError(t, err)
}

// TestChanges_Expired continues on another log.
func TestChanges_Expired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "feed.db")
	s := serveStore(t, openStore(t, path))
	after := changesAfter(t, s, "").Cursor
	forget(t, path)
	if got := s.Send(t, http.MethodGet, "/v1/changes?after="+after, ""); got.Status != http.StatusGone || !strings.Contains(got.Body, `"code":"CHANGES_EXPIRED"`) {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
	checkOpenAPI(t, s, false, openAPIRequest{Route: "/v1/changes", Path: "/v1/changes?after=" + after, Status: 410})
}

// TestChanges_Wait waits for a change, of which only one passes the filter.
func TestChanges_Wait(t *testing.T) {
	blocks := generated(12, 3)
	store := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, store))
	after := changesAfter(t, s, "").Cursor
	known := map[evm.Address]bool{}
	for _, b := range blocks[:11] {
		for _, r := range slices.Concat(b.Mints, b.Burns) {
			known[r.To], known[r.From] = true, true
		}
	}
	i := slices.IndexFunc(blocks[11].Mints, func(m nft.Record) bool { return !known[m.To] })
	if i < 0 {
		t.Fatal("no account of the last block is new: want another seed")
	}
	account := blocks[11].Mints[i].To.String()
	found := make(chan changesAnswer)
	go func() { found <- changesAfter(t, s, "wait=60s&kind=added&account="+account+"&after="+after) }()
	for _, b := range blocks[10:] {
		_, err := store.Apply(t.Context(), []nft.Block{b})
		expect.NoError(t, err)
	}
	got := <-found
	if len(got.Data) == 0 || got.Data[0]["mint"].(map[string]any)["to"] != account {
		t.Errorf("got %v, want the mint to %s", got, account)
	}
	if got := changesAfter(t, s, "wait=1ms&after="+changesAfter(t, s, "").Cursor); len(got.Data) != 0 || got.Cursor == "" || got.More {
		t.Errorf("at the end of a wait: %v, want no changes", got)
	}
}

// TestChanges_Quota charges for batches with changes: a long poll once, although it reads several
// batches, and a stream for each. A stream may pay for its next batch in advance.
func TestChanges_Quota(t *testing.T) {
	t.Parallel()
	blocks := generated(17, 3)
	store := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, store, withKeys(keyFile{}.parse(t), admit.Access{Quota: 1_000_000})))
	left := func(query string) (n int) {
		got := s.Send(t, http.MethodGet, "/v1/changes?"+query, "")
		if _, err := fmt.Sscanf(got.Header.Get("RateLimit"), `"default";r=%d;`, &n); err != nil || got.Status != http.StatusOK {
			t.Errorf("status %d, %v: %v", got.Status, got.Header, err)
		}
		return n
	}
	after := changesAfter(t, s, "").Cursor
	query := "kind=finalized&after=" + after
	first := left(query)
	before := left(query)
	once := first - before
	runs := func() string {
		return regexp.MustCompile(`mintburn_operations_total{operation="/v1/changes",result="ok"} \d+`).FindString(s.Send(t, http.MethodGet, "/metrics", "").Body)
	}
	waited := make(chan int)
	go func() { waited <- left("wait=60s&" + query) }()
	for _, b := range blocks[10:14] {
		seen := runs()
		_, err := store.Apply(t.Context(), []nft.Block{b})
		expect.NoError(t, err)
		within(t, "a batch", func() bool { return runs() != seen })
	}
	expect.NoError(t, store.SetFinalized(t.Context(), blocks[5].Header))
	expect.Equal(t, "cost of a long poll", once, before-<-waited)

	e := stream(t, s, "kind=added")
	e.next(true)
	before = left(query)
	for _, b := range blocks[14:] {
		_, err := store.Apply(t.Context(), []nft.Block{b})
		expect.NoError(t, err)
		for range slices.Concat(b.Mints, b.Burns) {
			e.next(false)
		}
	}
	if spent := before - left(query) - once; spent < 2*(once-1) || spent > 3*once {
		t.Errorf("three batches of a stream cost %d after the first, want 2 or 3 times %d", spent, once)
	}
}
