package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

// feedCopy is a copy of the records that a subscriber keeps through the errors of its server. It
// begins again from an export only if its cursor has expired.
type feedCopy struct {
	t      testing.TB
	server *server
	dsn    string
	// read reads changes after f.after until the connection ends, and applies them.
	read func(f *feedCopy, ctx context.Context) error

	// mu guards the fields below.
	mu      sync.Mutex
	after   string
	records map[string]uint64 // block numbers by id
	expired int
	changes int
}

// errExpired is the error of a cursor that has expired.
var errExpired = errors.New("the cursor has expired")

// newFeedCopies starts a subscriber for each transport, until stop is called or the test ends.
func newFeedCopies(t testing.TB, s *server, dsn string) (copies map[string]*feedCopy, stop func()) {
	copies = map[string]*feedCopy{}
	ctx, end := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	for name, read := range map[string]func(*feedCopy, context.Context) error{"SSE": (*feedCopy).stream, "WebSocket": (*feedCopy).socket, "long poll": (*feedCopy).poll} {
		f := &feedCopy{t: t, server: s, dsn: dsn, read: read}
		copies[name] = f
		until(t, func() bool { return f.begin() == nil })
		reading.Go(func() {
			for ctx.Err() == nil {
				if err := f.read(f, ctx); errors.Is(err, errExpired) {
					f.expired++
					for ctx.Err() == nil && f.begin() != nil {
						// The database is away.
					}
				}
			}
		})
	}
	stop = sync.OnceFunc(func() {
		end()
		reading.Wait()
		for name, f := range copies {
			t.Logf("%s: %d changes, began again %d times", name, f.changes, f.expired)
		}
	})
	t.Cleanup(stop)
	return copies, stop
}

// begin takes the cursor of now, and then an export.
func (f *feedCopy) begin() error {
	batch, err := f.ask(f.t.Context(), "/v1/changes")
	if err != nil {
		return err
	}
	records, err := exportedIDs(f.t, f.dsn)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.after, f.records = batch.Cursor, records
	return nil
}

// exportedIDs returns the block numbers of all records by their ids.
func exportedIDs(t testing.TB, dsn string) (map[string]uint64, error) {
	records := map[string]uint64{}
	for _, kind := range []string{"mints", "burns"} {
		stdout, stderr, code := run(t, nil, "export", "--db", dsn, kind)
		if code != 0 {
			return nil, errors.New(stderr)
		}
		for line := range strings.Lines(stdout) {
			var r feedRecord
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return nil, err
			}
			records[r.ID] = r.Block
		}
	}
	return records, nil
}

// feedRecord is a mint or burn of the REST routes and of exports.
type feedRecord struct {
	ID    string
	Block uint64 `json:"block_number"`
}

// feedChange is a change of the REST routes.
type feedChange struct {
	Kind       string
	Cursor     string
	Mint, Burn *feedRecord
	From       uint64 `json:"from_block"`
	To         uint64 `json:"to_block"`
}

// apply applies a change and keeps its cursor.
func (f *feedCopy) apply(c feedChange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
	switch c.Kind {
	case "added", "ADDED":
		for _, r := range []*feedRecord{c.Mint, c.Burn} {
			if r != nil {
				f.records[r.ID] = r.Block
			}
		}
	case "voided", "VOIDED":
		maps.DeleteFunc(f.records, func(_ string, block uint64) bool { return c.From <= block && block <= c.To })
	}
	if c.Cursor != "" {
		f.after = c.Cursor
	}
}

// cursor returns the cursor after which the next connection reads.
func (f *feedCopy) cursor() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.after
}

// equals reports whether the copy has these records.
func (f *feedCopy) equals(want map[string]uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Equal(want, f.records)
}

// feedBatch is an answer of the REST route.
type feedBatch struct {
	Cursor string
	Data   []feedChange
}

// get sends a request, and returns the body of a response with status 200.
func (f *feedCopy) get(ctx context.Context, path string, header ...string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.server.Base+path, nil)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return nil, f.failed(string(text))
}

// failed returns the error of a text, and fails the test if it is neither that of an expired cursor
// nor that of a database that is away or behind.
func (f *feedCopy) failed(text string) error {
	switch {
	case strings.Contains(text, "CHANGES_EXPIRED"):
		return errExpired
	case !strings.Contains(text, "UNAVAILABLE") && !strings.Contains(text, "TIMEOUT") && !strings.Contains(text, "REPLICA_BEHIND"):
		f.t.Errorf("a subscriber got %.300s", text)
	}
	return errors.New(text)
}

// ask reads a batch.
func (f *feedCopy) ask(ctx context.Context, path string) (batch feedBatch, err error) {
	body, err := f.get(ctx, path)
	if err != nil {
		return batch, err
	}
	defer body.Close()
	return batch, json.NewDecoder(body).Decode(&batch)
}

// poll reads one batch by a long poll.
func (f *feedCopy) poll(ctx context.Context) error {
	batch, err := f.ask(ctx, "/v1/changes?wait=5s&limit=50&after="+url.QueryEscape(f.cursor()))
	if err != nil {
		return err
	}
	for _, c := range batch.Data {
		f.apply(c)
	}
	f.apply(feedChange{Cursor: batch.Cursor})
	return nil
}

// stream reads an event stream, and continues as an EventSource does.
func (f *feedCopy) stream(ctx context.Context) error {
	body, err := f.get(ctx, "/v1/changes?kind=added&kind=voided", "Accept", "text/event-stream", "Last-Event-ID", f.cursor())
	if err != nil {
		return err
	}
	defer body.Close()
	event := map[string]string{}
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if name != "" {
			event[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if lines.Text() != "" {
			continue // a comment
		}
		c := feedChange{}
		if data, ok := event["data"]; event["event"] == "error" {
			return f.failed(data)
		} else if ok && event["event"] == "" {
			if err := json.Unmarshal([]byte(data), &c); err != nil {
				return fmt.Errorf("%s: %w", data, err)
			}
		}
		c.Cursor = event["id"]
		f.apply(c)
		clear(event)
	}
	return lines.Err()
}

// socket reads a subscription of graphql-transport-ws.
func (f *feedCopy) socket(ctx context.Context) error {
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	socket, response, err := dialer.DialContext(ctx, strings.Replace(f.server.Base, "http", "ws", 1)+"/graphql", nil)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	defer context.AfterFunc(ctx, func() { _ = socket.Close() })()
	defer socket.Close()
	const query = `subscription($after: Cursor) { changes(after: $after, kinds: [ADDED, VOIDED]) { cursor changes { kind
		... on RecordAdded { transfer { ... on Node { id } blockNumber } } ... on BlocksVoided { blocks { fromBlock toBlock } } } } }`
	payload := map[string]any{"query": query, "variables": map[string]any{"after": f.cursor()}}
	for _, message := range []map[string]any{{"type": "connection_init"}, {"id": "1", "type": "subscribe", "payload": payload}} {
		if err := socket.WriteJSON(message); err != nil {
			return err
		}
	}
	for {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		if err := socket.ReadJSON(&message); err != nil {
			return err
		}
		switch {
		case message.Type == "complete":
			return nil
		case message.Type == "error" || message.Type == "next" && strings.Contains(string(message.Payload), `"errors"`):
			return f.failed(string(message.Payload))
		case message.Type != "next":
			continue
		}
		if err := f.applyGraphQL(message.Payload); err != nil {
			return err
		}
	}
}

// applyGraphQL applies a result of the subscription.
func (f *feedCopy) applyGraphQL(payload []byte) error {
	var result struct {
		Data struct {
			Changes struct {
				Cursor  string
				Changes []struct {
					Kind     string
					Transfer *struct {
						ID          string
						BlockNumber uint64
					}
					Blocks struct{ FromBlock, ToBlock uint64 }
				}
			}
		}
	}
	if err := json.Unmarshal(payload, &result); err != nil {
		return fmt.Errorf("%s: %w", payload, err)
	}
	for _, c := range result.Data.Changes.Changes {
		change := feedChange{Kind: c.Kind, From: c.Blocks.FromBlock, To: c.Blocks.ToBlock}
		if c.Transfer != nil {
			change.Mint = &feedRecord{c.Transfer.ID, c.Transfer.BlockNumber}
		}
		f.apply(change)
	}
	f.apply(feedChange{Cursor: result.Data.Changes.Cursor})
	return nil
}
