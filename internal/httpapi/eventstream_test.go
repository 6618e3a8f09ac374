package httpapi_test

import (
	"bufio"
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// events reads an event stream.
type events struct {
	t     testing.TB
	lines *bufio.Scanner
	// id is the last event id.
	id string
}

// stream opens an event stream until the end of the test.
func stream(t testing.TB, s *apitest.Client, query string, header ...string) *events {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base+"/v1/changes?"+query, nil)
	expect.NoError(t, err)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	expect.NoError(t, err)
	t.Cleanup(func() { cancel(); response.Body.Close() })
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, %v", response.StatusCode, response.Header)
	}
	e := &events{t: t, lines: bufio.NewScanner(response.Body)}
	e.lines.Buffer(nil, 1<<20)
	e.begins()
	return e
}

// begins reads the first event, which has the cursor from which the stream begins.
func (e *events) begins() {
	e.t.Helper()
	if name, data := e.next(false); name != "cursor" || data != `{"cursor":"`+e.id+`"}` || e.id == "" {
		e.t.Fatalf("the first event is %q: %s, with the id %q", name, data, e.id)
	}
}

// next returns the next event, by the rules of the HTML standard; name is empty at the end.
// Without data it returns what only sets the id, if idle is set.
func (e *events) next(idle bool) (name, data string) {
	e.t.Helper()
	name = "message"
	for id := ""; e.lines.Scan(); {
		field, value, _ := strings.Cut(e.lines.Text(), ": ")
		switch {
		case e.lines.Text() == "":
			e.id = cmp.Or(id, e.id)
			if data != "" || idle && id != "" {
				return name, data
			}
			id = ""
		case field == "id":
			id = value
		case field == "event":
			name = value
		case field == "data":
			data = value
		case field != ":":
			e.t.Fatalf("unknown line %q", e.lines.Text())
		}
	}
	return "", ""
}

// TestEvents reads a stream from now on, and continues it after its last id elsewhere.
func TestEvents(t *testing.T) {
	blocks := generated(14, 3)
	path := filepath.Join(t.TempDir(), "feed.db")
	store := openStore(t, path)
	apply := func(blocks []nft.Block) {
		_, err := store.Apply(t.Context(), blocks)
		expect.NoError(t, err)
	}
	apply(blocks[:10])
	s := online(t, serveStore(t, store))
	e := stream(t, s, "")
	start := e.id
	e.next(true)
	expect.Equal(t, "id of the first sign of life", start, e.id)
	expect.Equal(t, "cursor of now", changesAfter(t, s, "").Cursor, start)
	apply(blocks[10:12])
	want := changesAfter(t, s, "after="+start).Data
	var got []map[string]any
	for range want {
		_, data := e.next(false)
		var change map[string]any
		apitest.Decode(t, data, &change)
		expect.Equal(t, "id of the event", change["cursor"].(string), e.id)
		got = append(got, change)
	}
	expect.Equal(t, "changes (REST, events)", want, got)

	middle, last := got[1]["cursor"].(string), got[2]["cursor"].(string)
	for name, c := range map[string]struct {
		query, header string
		next          int
	}{
		"the header before all":            {"after=" + start + "&lastEventId=" + last, middle, 2},
		"the parameter before after":       {"after=" + start + "&lastEventId=" + middle, "", 2},
		"the parameter alone":              {"lastEventId=" + last, "", 3},
		"an empty parameter":               {"after=" + middle + "&lastEventId=", "", 2},
		"an empty after with an id":        {"after=&lastEventId=" + middle, "", 2},
		"after, and an empty header":       {"after=" + url.QueryEscape(middle), "", 2},
		"the header before an empty after": {"after=", last, 3},
	} {
		e = stream(t, s, c.query, "Last-Event-ID", c.header)
		from := e.id
		if _, data := e.next(false); from != got[c.next-1]["cursor"] || !strings.Contains(data, want[c.next]["cursor"].(string)) {
			t.Errorf("%s: begins at %s, with %s, want %v", name, from, data, want[c.next])
		}
	}
	e = stream(t, s, "after="+middle)
	e.next(false)
	for range want[3:] {
		e.next(false)
	}
	e.next(true)
	forget(t, path)
	apply(blocks[12:])
	if name, data := e.next(false); name != "error" || !strings.Contains(data, `"code":"CHANGES_EXPIRED"`) {
		t.Errorf("another log: event %q: %s", name, data)
	}
	if name, data := e.next(true); name != "" {
		t.Errorf("after the error: event %q: %s, want the end", name, data)
	}
}

// pipes is a listener whose connections are in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestChanges_Deadlines waits longer than a server allows for other answers.
func TestChanges_Deadlines(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		store, err := write.Open(t.Context(), path, write.Options{})
		expect.NoError(t, err)
		defer store.Close()
		server := httpapi.NewServer(newHandler(t, config(store)), time.Second, time.Second, slog.New(slog.DiscardHandler))
		listener := make(pipes)
		go func() { _ = server.Serve(listener) }()
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			listener <- far
			return near, nil
		}}
		s := &apitest.Client{Base: "http://pipe", HTTP: &http.Client{Transport: transport}}
		began := time.Now()
		after := changesAfter(t, s, "wait=60s").Cursor
		expect.Equal(t, "long poll without changes", time.Minute, time.Since(began))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+"/v1/changes?after="+after, nil)
		expect.NoError(t, err)
		r.Header.Set("Accept", "text/event-stream")
		response, err := s.HTTP.Do(r)
		expect.NoError(t, err)
		e := &events{t: t, lines: bufio.NewScanner(response.Body)}
		e.begins()
		for beats := range 20 {
			e.id = ""
			e.next(true)
			expect.Equal(t, "id of a heartbeat", after, e.id)
			expect.Equal(t, "time of a heartbeat", time.Minute+time.Duration(beats)*defaults.Beat, time.Since(began))
		}
		_, err = store.Apply(t.Context(), generated(1, 1))
		expect.NoError(t, err)
		if name, data := e.next(false); name != "message" || data == "" {
			t.Errorf("after minutes: event %q: %s", name, data)
		}
		response.Body.Close()
		transport.CloseIdleConnections()
		expect.NoError(t, server.Close())
	})
}
