package httpapi_test

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestSubscription_Streams follows new blocks and a reorg over HTTP in each form.
func TestSubscription_Streams(t *testing.T) {
	t.Parallel()
	query := "?query=" + url.QueryEscape(follow)
	for name, c := range map[string]struct{ accept, body string }{
		"events": {asEvents, inJSON(follow)}, "multipart": {asMultipart, inJSON(follow)}, "events by GET": {"text/event-stream, multipart/mixed", query},
	} {
		t.Run(name, func(t *testing.T) {
			blocks := recordedBlocks(t)
			db := storeOf(t, blocks[:10])
			s := online(t, serveStore(t, db))
			stream := openWire(t, s.Base, c.accept, c.body)
			first, changes := batchOf(t, stream.next(t))
			if first == "" || len(changes) > 0 {
				t.Errorf("the first batch has cursor %q and %v", first, changes)
			}
			_, err := db.Apply(t.Context(), blocks[10:13])
			expect.NoError(t, err)
			stream.until(t, "RecordAdded 10")
			expect.NoError(t, db.ReplaceAbove(t.Context(), 11, nil, false))
			stream.until(t, "BlocksVoided")
			// A client continues after its cursor. What became void since is not delivered.
			again := openWire(t, s.Base, asEvents, apitest.Request(follow, `{"after":"`+first+`"}`))
			if _, changes := batchOf(t, again.next(t)); len(changes) == 0 || changes[0] != "BlocksVoided" {
				t.Errorf("after the first cursor: %v", changes)
			}
		})
	}
}

// TestSubscription_Refused checks the errors of requests that are no stream, in the form of the
// accepted media type, and of those that are.
func TestSubscription_Refused(t *testing.T) {
	s := online(t, serve(t))
	for name, c := range map[string]struct {
		accept, body string
		status       int
		code         string
	}{
		"JSON":                {asJSON, inJSON(follow), 406, "BAD_USER_INPUT"},
		"anything":            {"*/*", inJSON(follow), 406, "BAD_USER_INPUT"},
		"Apollo's parts":      {"multipart/mixed;deferSpec=20220824," + asJSON, inJSON(follow), 406, "BAD_USER_INPUT"},
		"a batch":             {asEvents + "," + asJSON, "[" + inJSON(follow) + "]", 200, "BAD_USER_INPUT"},
		"no JSON in the body": {asEvents, "{", 400, "BAD_USER_INPUT"},
		"an invalid document": {asEvents, inJSON("subscription { nothing }"), 0, "GRAPHQL_VALIDATION_FAILED"},
		"two fields":          {asMultipart, inJSON("subscription { changes { cursor } other: changes { cursor } }"), 200, "GRAPHQL_VALIDATION_FAILED"},
		"no field":            {asEvents, inJSON("subscription { changes @skip(if: true) { cursor } }"), 0, "GRAPHQL_VALIDATION_FAILED"},
		"an invalid cursor":   {asMultipart, inJSON(`subscription { changes(after: "x") { cursor } }`), 0, "INVALID_CURSOR"},
		"an empty cursor":     {asEvents, apitest.Request(follow, `{"after":""}`), 0, "INVALID_CURSOR"},
		"an invalid filter":   {asEvents, inJSON(`subscription { changes(accounts: "0x0000000000000000000000000000000000000001", kinds: METADATA) { cursor } }`), 0, "BAD_USER_INPUT"},
	} {
		status, stream := requestStream(t, s.Base, c.accept, c.body)
		if c.status == 0 {
			text := stream.next(t)
			if !strings.Contains(text, "errors") {
				t.Fatalf("%s: got %s", name, text)
			}
			if end := stream.next(t); end != ended {
				t.Errorf("%s: got %s after %s", name, end, text)
			}
			(&apitest.Reply{Body: text}).OnlyError(t, c.code)
			continue
		}
		text, err := io.ReadAll(stream.in)
		expect.NoError(t, err)
		if status != c.status {
			t.Errorf("%s: status %d: %s", name, status, text)
		}
		(&apitest.Reply{Body: strings.Trim(string(text), "[]")}).OnlyError(t, c.code)
	}
	// Any operation may be answered as events.
	stream := openWire(t, s.Base, asEvents, inJSON("{ __typename }"))
	if text := stream.next(t); text != `{"data":{"__typename":"Query"}}` || stream.next(t) != ended {
		t.Errorf("got %s", text)
	}
	// Clients that accept JSON too get it for queries.
	if got := s.Post(t, inJSON("{ __typename }"), "Accept", asEvents+","+asJSON); got.Body != `{"data":{"__typename":"Query"}}` {
		t.Errorf("got %s", got.Body)
	}
}

// TestSubscription_Batches checks that no batch has more than 100 changes, nor more than 64 KiB
// unless it has one, and that none is lost in between.
func TestSubscription_Batches(t *testing.T) {
	db := storeOf(t)
	s := online(t, serveStore(t, db))
	first, _ := batchOf(t, openWire(t, s.Base, asEvents, inJSON(follow)).next(t))
	_, err := db.Apply(t.Context(), recordedBlocks(t))
	expect.NoError(t, err)
	total := int64(0)
	for _, kind := range []string{"mints", "burns"} {
		n, err := apitest.At(s.Get(t, "{ "+kind+"(first: 0) { totalItems } }", ""), kind, "totalItems").(interface{ Int64() (int64, error) }).Int64()
		expect.NoError(t, err)
		total += n
	}
	// Each change has 2 KB.
	long := strings.Repeat("x", 100)
	fields := strings.Builder{}
	for i := range 10 {
		fmt.Fprintf(&fields, "%s%d: blockHash ", long, i)
	}
	document := `subscription($after: Cursor) { changes(after: $after, kinds: [ADDED]) { more cursor changes { ... on RecordAdded { transfer { id ` + fields.String() + `} } } } }`
	for name, c := range map[string]struct {
		document string
		changes  int
	}{"small": {`subscription($after: Cursor) { changes(after: $after, kinds: [ADDED]) { more changes { ... on RecordAdded { transfer { id } } } } }`, 100}, "large": {document, 64 << 10 / 1800}} {
		stream := openWire(t, s.Base, asEvents, apitest.Request(c.document, `{"after":"`+first+`"}`))
		seen := map[string]bool{}
		for more := true; more; {
			text := stream.next(t)
			if len(text) > 64<<10+100 {
				t.Errorf("%s: a batch has %d bytes", name, len(text))
			}
			a := (&apitest.Reply{Body: text}).Answer(t)
			list := apitest.At(a.Data, "changes", "changes").([]any)
			if len(list) > c.changes {
				t.Errorf("%s: a batch has %d changes, want at most %d", name, len(list), c.changes)
			}
			for _, change := range list {
				if transfer, ok := change.(map[string]any)["transfer"]; ok {
					seen[transfer.(map[string]any)["id"].(string)] = true
				}
			}
			more = apitest.At(a.Data, "changes", "more").(bool)
		}
		expect.Equal(t, name+": records", total, int64(len(seen)))
	}
}

// TestSubscription_Filters checks that a change that a filter does not select is not delivered,
// and that the cursor moves on.
func TestSubscription_Filters(t *testing.T) {
	blocks := recordedBlocks(t)
	db := storeOf(t, blocks[:10])
	s := online(t, serveStore(t, db))
	nobody := openWire(t, s.Base, asEvents, inJSON(`subscription { changes(addresses: ["0x0000000000000000000000000000000000000001"]) { cursor changes { __typename } } }`))
	nobody.next(t)
	all := openWire(t, s.Base, asEvents, inJSON(follow))
	all.next(t)
	_, err := db.Apply(t.Context(), blocks[10:13])
	expect.NoError(t, err)
	all.until(t, "RecordAdded 10")
	// A reorg passes each filter, and is the next that arrives.
	expect.NoError(t, db.ReplaceAbove(t.Context(), 11, nil, false))
	nobody.until(t, "BlocksVoided")
}
