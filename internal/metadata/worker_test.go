package metadata_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

func TestWorker_Resolutions(t *testing.T) {
	const day = 24 * 3600
	server := newSite(t, map[string]siteAnswer{
		"/good":      {Status: 200, Body: document},
		"/html":      {Status: 200, Body: "<html>"},
		"/later":     {Status: 429, Headers: map[string]string{"retry-after": "7200"}},
		"/error":     {Status: 503},
		"/pending":   {Status: 202, Body: "Pending"},
		"/forbidden": {Status: 403},
		"/gone":      {Status: 410, Headers: map[string]string{"retry-after": "3600"}},
		"/teapot":    {Status: 418},
		"/{id}":      {Status: 200, Body: `{"name":"plain"}`},
		"/" + id(5):  {Status: 200, Body: `{"name":"{id}"}`},
	})
	at := uint64(1_700_000_000)
	// Retries advance the clock by a second and a half.
	retried := at + 1
	good := &nft.TokenMetadata{UpdatedAt: at, FetchedAt: at, Raw: document, Metadata: nft.Metadata{
		Name: new("Lamp"), Description: new("a document of some bytes, which pack better than none"), Attributes: []nft.Attribute{},
	}}
	for _, test := range []struct {
		situation     string
		tokenURI, uri string
		task          nft.Task
		recheck       time.Duration
		want          nft.Resolution
	}{
		{"document", "/good", "", nft.Task{Type: nft.ERC721, Attempts: 3, Lease: 9}, 0,
			nft.Resolution{At: at, URI: "/good", Document: good}},
		{"document to recheck", "/good", "", nft.Task{Type: nft.ERC721}, time.Hour,
			nft.Resolution{At: at, URI: "/good", Document: good, NextAt: at + 3600}},
		{"id replaced for ERC-1155", "", "/{id}", nft.Task{Type: nft.ERC1155}, 0,
			nft.Resolution{At: at, URI: "/{id}", Document: &nft.TokenMetadata{UpdatedAt: at, FetchedAt: at, Raw: `{"name":"{id}"}`,
				Metadata: nft.Metadata{Name: new(id(5)), Attributes: []nft.Attribute{}}}}},
		{"id not replaced for ERC-721", "/{id}", "", nft.Task{Type: nft.ERC721}, 0,
			nft.Resolution{At: at, URI: "/{id}", Document: &nft.TokenMetadata{UpdatedAt: at, FetchedAt: at, Raw: `{"name":"plain"}`,
				Metadata: nft.Metadata{Name: new("plain"), Attributes: []nft.Attribute{}}}}},
		{"ERC-721 that has only uri", "", "/good", nft.Task{Type: nft.ERC721}, 0, nft.Resolution{At: at, URI: "/good", Document: good}},
		{"ERC-1155 that has only tokenURI", "/good", "", nft.Task{Type: nft.ERC1155}, 0, nft.Resolution{At: at, URI: "/good", Document: good}},
		{"neither", "", "", nft.Task{Type: nft.ERC1155}, 0,
			nft.Resolution{At: at, Problem: "uri: execution reverted: no such token", NextAt: at + 3600}},
		{"no document", "/html", "", nft.Task{Type: nft.ERC721}, time.Hour,
			nft.Resolution{At: at, URI: "/html", Problem: "the document is text/html, not JSON", NextAt: at + 3600}},
		{"no document after 3 attempts", "/absent", "", nft.Task{Type: nft.ERC721, Attempts: 3}, 0,
			nft.Resolution{At: at, URI: "/absent", Problem: "status 404 Not Found", NextAt: at + 8*60}},
		{"no document at first", "/absent", "", nft.Task{Type: nft.ERC721}, 0,
			nft.Resolution{At: at, URI: "/absent", Problem: "status 404 Not Found", NextAt: at + 60}},
		{"no document after a day", "/absent", "", nft.Task{Type: nft.ERC721, Attempts: 11}, 0,
			nft.Resolution{At: at, URI: "/absent", Problem: "status 404 Not Found", NextAt: at + 2048*60}},
		{"pending", "/pending", "", nft.Task{Type: nft.ERC721, Attempts: 1}, 0,
			nft.Resolution{At: at, URI: "/pending", Problem: "status 202 Accepted", NextAt: at + 120}},
		{"forbidden", "/forbidden", "", nft.Task{Type: nft.ERC721, Attempts: 2}, 0,
			nft.Resolution{At: at, URI: "/forbidden", Problem: "status 403 Forbidden", NextAt: at + 240}},
		{"gone, with Retry-After", "/gone", "", nft.Task{Type: nft.ERC721}, 0,
			nft.Resolution{At: at, URI: "/gone", Problem: "status 410 Gone", NextAt: at + 3600}},
		{"broken", "/teapot", "", nft.Task{Type: nft.ERC721, Attempts: 2}, 0,
			nft.Resolution{At: at, URI: "/teapot", Problem: "status 418 I'm a teapot", NextAt: at + 4*3600}},
		{"no document after 1,000 attempts", "/absent", "", nft.Task{Type: nft.ERC721, Attempts: 1000}, 0,
			nft.Resolution{At: at, URI: "/absent", Problem: "status 404 Not Found", NextAt: at + 7*day}},
		{"server error", "/error", "", nft.Task{Type: nft.ERC721}, 0,
			nft.Resolution{At: retried, URI: "/error", Problem: "status 503 Service Unavailable", NextAt: retried + 60}},
		{"server error after 2 attempts", "/error", "", nft.Task{Type: nft.ERC721, Attempts: 2}, 0,
			nft.Resolution{At: retried, URI: "/error", Problem: "status 503 Service Unavailable", NextAt: retried + 240}},
		{"server error after 50 attempts", "/error", "", nft.Task{Type: nft.ERC721, Attempts: 50}, 0,
			nft.Resolution{At: retried, URI: "/error", Problem: "status 503 Service Unavailable", NextAt: retried + day}},
		{"Retry-After of two hours", "/later", "", nft.Task{Type: nft.ERC721}, 0,
			nft.Resolution{At: at, URI: "/later", Problem: "status 429 Too Many Requests", NextAt: at + 7200}},
	} {
		t.Run(test.situation, func(t *testing.T) {
			test.task.TokenKey = token(5)
			caller := &contracts{tokenURI: map[nft.TokenKey]string{}, uri: map[nft.TokenKey]string{}}
			if test.tokenURI != "" {
				caller.tokenURI[test.task.TokenKey] = server.URL + test.tokenURI
			}
			if test.uri != "" {
				caller.uri[test.task.TokenKey] = server.URL + test.uri
			}
			test.want.Task = test.task
			if test.want.URI != "" {
				test.want.URI = server.URL + test.want.URI
			}
			if test.want.Document != nil {
				document := *test.want.Document
				document.TokenKey, document.Type, document.URI = test.task.TokenKey, test.task.Type, test.want.URI
				test.want.Document = &document
			}
			w, _ := newWorker(&queue{due: []nft.Task{test.task}}, caller, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}))
			w.Recheck = test.recheck
			got := resolve(t, w)
			expect.Equal(t, "result", map[nft.TokenKey]nft.Resolution{test.task.TokenKey: test.want}, got)
		})
	}
}

// id returns a token id as 64 hex digits.
func id(n uint64) string { return fmt.Sprintf("%064x", n) }

// TestWorker_TriesAgain checks that a document with a short failure is retried immediately.
func TestWorker_TriesAgain(t *testing.T) {
	ill := siteAnswer{Status: 503}
	good := siteAnswer{Status: 200, Body: document}
	for name, test := range map[string]struct {
		sequence []siteAnswer
		tries    int
		sleeps   []time.Duration
	}{
		"once":       {[]siteAnswer{good}, 1, nil},
		"two errors": {[]siteAnswer{ill, ill, good}, 3, []time.Duration{500 * time.Millisecond, time.Second}},
		"3 errors":   {[]siteAnswer{ill, ill, ill, good}, 3, []time.Duration{500 * time.Millisecond, time.Second}},
		"asks for 2": {[]siteAnswer{{Status: 429, Headers: map[string]string{"retry-after": "2"}}, good}, 2, []time.Duration{2 * time.Second}},
		"asks for 5": {[]siteAnswer{{Status: 429, Headers: map[string]string{"retry-after": "5"}}, good}, 2, []time.Duration{5 * time.Second}},
		"asks for 6": {[]siteAnswer{{Status: 429, Headers: map[string]string{"retry-after": "6"}}, good}, 1, nil},
		"not there":  {[]siteAnswer{{Status: 404}, good}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := newSite(t, map[string]siteAnswer{"/": {Sequence: test.sequence}})
			uris := map[nft.TokenKey]string{token(1): server.URL + "/"}
			clock := new(chaintest.Clock)
			w, _ := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Clock: clock.Random(1)}))
			w.Clock = clock.Random(1)
			got := resolve(t, w)[token(1)]
			if wantDocument := test.sequence[test.tries-1].Status == 200; wantDocument != (got.Document != nil) {
				t.Errorf("document %v, problem %q", got.Document, got.Problem)
			}
			if server.asked["/"] != test.tries {
				t.Errorf("tried %d times, want %d", server.asked["/"], test.tries)
			}
			expect.Equal(t, "pauses", test.sleeps, clock.Waits())
		})
	}
}

// TestWorker_SlowestWaitsAlone checks that a slow document delays no others: those of its
// batch are finished, and new ones claimed.
func TestWorker_SlowestWaitsAlone(t *testing.T) {
	const tokens = 250
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/0" {
			<-release
		}
		io.WriteString(w, document)
	}))
	defer server.Close()
	uris := map[nft.TokenKey]string{}
	for i := range uint64(tokens) {
		uris[token(i)] = fmt.Sprintf("%s/%d", server.URL, i)
	}
	q := &queue{due: tasksOf(uris)}
	finished := 0
	q.finishing = func(group []nft.Resolution) error {
		if finished += len(group); finished == tokens-1 {
			close(release)
		}
		return nil
	}
	w, _ := newWorker(q, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}))
	w.InFlight, w.Batch = 40, 20
	documents, failures := 0, 0
	w.Progress = func(d, f int) { documents, failures = documents+d, failures+f }
	resolve(t, w)
	if documents != tokens || failures != 0 {
		t.Errorf("%d documents and %d failures", documents, failures)
	}
}

// TestWorker_SurvivesErrors checks that errors and panics of the queue and the node are
// retried, and that panics are counted.
func TestWorker_SurvivesErrors(t *testing.T) {
	for name, fail := range map[string]func() error{
		"errors": func() error { return errors.New("not now") },
		"panics": func() error { panic("a bug") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				uris := map[nft.TokenKey]string{token(1): "data:," + document, token(2): document, token(3): "x"}
				failing := func(times int) func() error {
					return func() error {
						if times--; times >= 0 {
							return fail()
						}
						return nil
					}
				}
				q := &queue{due: tasksOf(uris), claimed: failing(2)}
				finish, call := failing(11), failing(4)
				q.finishing = func([]nft.Resolution) error { return finish() }
				w, clock := newWorker(q, &contracts{tokenURI: uris, calling: func([]evm.Call) error { return call() }}, newFetcher(t, metadata.FetcherOptions{}))
				panics := 0
				w.Panicked = func() { panics++ }
				finished := resolve(t, w)
				if len(finished) != 3 || finished[token(1)].Document == nil || finished[token(3)].Problem == "" {
					t.Errorf("finished %v", finished)
				}
				var want []time.Duration
				for _, wait := range []time.Duration{100, 200, 400, 800, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000} {
					want = append(want, wait*time.Millisecond)
				}
				expect.Equal(t, "pauses", want, clock.Waits())
				if want := map[string]int{"errors": 0, "panics": 17}[name]; panics != want {
					t.Errorf("%d panics were counted, want %d", panics, want)
				}
			})
		})
	}
}

// TestWorker_SurvivesPanics checks that panics of Now and Progress are survived.
func TestWorker_SurvivesPanics(t *testing.T) {
	uris := map[nft.TokenKey]string{token(1): document}
	var log bytes.Buffer
	w, clock := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{}))
	var looked, panics atomic.Int64
	w.Now = func() time.Time {
		// The first call belongs to the fetch, in which a panic is a failure of the
		// document.
		if looked.Add(1) == 2 {
			panic("a bug in Now")
		}
		return clock.Now()
	}
	w.Progress = func(int, int) { panic("a bug in Progress") }
	w.Panicked = func() { panics.Add(1) }
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	if finished := resolve(t, w); len(finished) != 1 || finished[token(1)].Document == nil {
		t.Errorf("finished %v", finished)
	}
	if panics.Load() != 2 || !strings.Contains(log.String(), "a bug in Now") || !strings.Contains(log.String(), "worker_test.go") {
		t.Errorf("%d panics were counted, want 2, each logged with its stack: %s", panics.Load(), &log)
	}
}

// TestWorker_Ends checks that Run and all its requests end when ctx does.
func TestWorker_Ends(t *testing.T) {
	var underWay atomic.Int64
	for name, once := range map[string]bool{"once": true, "forever": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				underWay.Add(1)
				cancel()
				<-r.Context().Done()
				underWay.Add(-1)
			}))
			uris := tokens(20, server.URL)
			q := &queue{due: tasksOf(uris)}
			w, _ := newWorker(q, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}))
			if err := w.Run(ctx, once); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if len(q.finished) != 0 {
				t.Errorf("finished %v", q.finished)
			}
			server.Close() // waits for its requests
			if n := underWay.Load(); n != 0 {
				t.Errorf("%d requests are still running", n)
			}
		})
	}
}

// TestWorker_LeavesNothing checks that Run returns only after its last call has ended.
func TestWorker_LeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var ended atomic.Bool
	caller := &contracts{calling: func([]evm.Call) error {
		cancel()
		<-time.After(50 * time.Millisecond) // a call that is slow to end
		ended.Store(true)
		return nil
	}}
	w, _ := newWorker(&queue{due: []nft.Task{{TokenKey: token(1)}}}, caller, newFetcher(t, metadata.FetcherOptions{}))
	if err := w.Run(ctx, true); !errors.Is(err, context.Canceled) || !ended.Load() {
		t.Errorf("error %v, and the call has ended: %v", err, ended.Load())
	}
}

// TestWorker_FewInFlight checks that InFlight may be smaller than a batch.
func TestWorker_FewInFlight(t *testing.T) {
	uris := tokens(10, document)
	w, _ := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris, calling: func(calls []evm.Call) error {
		if len(calls) > 3 {
			t.Errorf("%d calls", len(calls))
		}
		return nil
	}}, newFetcher(t, metadata.FetcherOptions{}))
	w.InFlight = 3
	if finished := resolve(t, w); len(finished) != len(uris) {
		t.Errorf("%d tasks were finished", len(finished))
	}
}

// TestWorker_InFlight checks that no more tasks are claimed than InFlight allows.
func TestWorker_InFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uris := tokens(10, document)
		q, release := &queue{due: tasksOf(uris)}, make(chan struct{})
		calling := func([]evm.Call) error { <-release; return nil }
		w, _ := newWorker(q, &contracts{tokenURI: uris, calling: calling}, newFetcher(t, metadata.FetcherOptions{}))
		w.InFlight, w.Batch = 4, 2
		go func() {
			synctest.Wait()
			q.mu.Lock()
			left := len(q.due)
			q.mu.Unlock()
			if left != 6 {
				t.Errorf("%d of 10 tasks are left, want 6", left)
			}
			close(release)
		}()
		resolve(t, w)
	})
}

// TestWorker_WaitsForTasks checks that Run without once also resolves tasks that appear later.
func TestWorker_WaitsForTasks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q, looks := new(queue), 0
	uris := map[nft.TokenKey]string{token(1): document}
	q.claimed = func() error {
		if looks++; looks == 3 {
			q.due = tasksOf(uris)
		}
		return nil
	}
	q.finishing = func([]nft.Resolution) error { cancel(); return nil }
	w, _ := newWorker(q, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{}))
	w.Poll = time.Millisecond
	if err := w.Run(ctx, false); !errors.Is(err, context.Canceled) || len(q.finished) != 1 {
		t.Errorf("error %v, finished %v", err, q.finished)
	}
}
