package metadata_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestFetcher_Bounded checks that endless, slow and compressed-bomb answers take bounded
// time, memory and traffic.
func TestFetcher_Bounded(t *testing.T) {
	zeros := func(times *int, isGzip bool) siteAnswer {
		answer := siteAnswer{Status: 200, Headers: map[string]string{}}
		answer.Fill = &struct {
			Prefix, Repeat, Suffix string
			Times                  *int
			Gzip                   bool
		}{Prefix: `{"name":"`, Repeat: " ", Times: times, Gzip: isGzip}
		if isGzip {
			answer.Headers["content-encoding"] = "gzip"
		}
		return answer
	}
	var inner bytes.Buffer
	packed := gzip.NewWriter(&inner)
	packed.Write(bytes.Repeat([]byte{' '}, 50<<20))
	packed.Close()
	const tooLarge = "document is larger than 4194304 bytes"
	server := newSite(t, map[string]siteAnswer{
		"/endless":      zeros(nil, false),
		"/endless gzip": zeros(nil, true),
		"/bomb":         zeros(new(50<<20), true),
		"/hidden bomb":  {Status: 200, BodyBase64: inner.Bytes()},
		"/promise":      {Status: 200, Headers: map[string]string{"content-length": "4194305"}, Body: "{}"},
		"/silence":      {Status: 200, DelayMs: 60_000, Body: "{}"},
		"/drip":         {Status: 200, DripMs: 5, Body: strings.Repeat(" ", 100_000)},
		"/cut":          {Status: 200, Headers: map[string]string{"content-length": "500"}, Body: "{}", Close: true},
		"/header":       {Status: 200, Headers: map[string]string{"x": strings.Repeat("x", 1<<20)}, Body: "{}"},
	})
	t.Cleanup(server.CloseClientConnections)
	for _, test := range []struct {
		path, want string
		timeout    time.Duration
	}{
		{"/endless", tooLarge, time.Minute},
		{"/endless gzip", tooLarge, time.Minute},
		{"/bomb", tooLarge, time.Minute},
		{"/hidden bomb", tooLarge, time.Minute},
		{"/promise", tooLarge, time.Minute},
		{"/silence", "no complete answer within 100ms", 100 * time.Millisecond},
		{"/drip", "no complete answer within 100ms", 100 * time.Millisecond},
		{"/cut", "the connection closed before the answer was complete", time.Minute},
		{"/header", "net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 65536 bytes; aborted", time.Minute},
	} {
		t.Run(test.path[1:], func(t *testing.T) {
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Timeout: test.timeout})
			var before, after runtime.MemStats
			sent := server.sent.Load()
			runtime.ReadMemStats(&before)
			text, err := f.Fetch(t.Context(), server.URL+test.path)
			runtime.ReadMemStats(&after)
			expect.Equal(t, "reason", test.want, reason(t, text, err))
			// This includes the memory of the server.
			if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
			if sent = server.sent.Load() - sent; sent > 16<<20 {
				t.Errorf("%d bytes were sent", sent)
			}
			t.Logf("%d bytes were allocated, %d sent", after.TotalAlloc-before.TotalAlloc, sent)
		})
	}
}

// TestFetcher_Concurrency checks that concurrent requests reach the limits for one host and
// for all hosts, and do not exceed them.
func TestFetcher_Concurrency(t *testing.T) {
	const perHost, total, requests = 3, 5, 30
	for name, test := range map[string]struct{ hosts, want int }{
		"one host":   {1, perHost},
		"many hosts": {4, total},
	} {
		t.Run(name, func(t *testing.T) {
			var now, most atomic.Int64
			full := make(chan struct{})
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				n := now.Add(1)
				defer now.Add(-1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				// The first requests wait until the limit is reached.
				if int(n) == test.want {
					select {
					case <-full:
					default:
						close(full)
					}
				}
				<-full
				io.WriteString(w, "{}")
			})
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, PerHost: perHost, Total: total})
			var urls []string
			for range test.hosts {
				server := httptest.NewServer(handler)
				defer server.Close()
				urls = append(urls, server.URL)
			}
			done := make(chan error)
			for i := range requests {
				go func() {
					_, err := f.Fetch(t.Context(), urls[i%len(urls)])
					done <- err
				}()
			}
			for range requests {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if got := int(most.Load()); got != test.want {
				t.Errorf("%d requests at a time, want %d", got, test.want)
			}
			if got := metadata.Hosts(f); got != 0 {
				t.Errorf("%d hosts are tracked, want none", got)
			}
		})
	}
}

// TestFetcher_Rate checks that a burst of one second's requests begins at once and that later
// ones are spread evenly. Requests to URLs with a private address do not wait.
func TestFetcher_Rate(t *testing.T) {
	server := newSite(t, map[string]siteAnswer{"/": {Status: 200, Body: "{}"}})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	for host, want := range map[string][]time.Duration{
		"paced.example":      {250 * time.Millisecond, 250 * time.Millisecond, 250 * time.Millisecond},
		"127.0.0.1":          nil,
		"LOCALHOST":          nil,
		"[::ffff:127.0.0.1]": nil,
	} {
		t.Run(host, func(t *testing.T) {
			clock := new(chaintest.Clock)
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Resolver: nameServer(t, "127.0.0.1"), HostRate: 4, Clock: clock.Random(0)})
			for range 8 {
				if _, err := f.Fetch(t.Context(), "http://"+host+":"+port+"/"); err != nil {
					t.Fatal(err)
				}
			}
			expect.Equal(t, "waits", want, clock.Waits())
		})
	}
}

// TestFetcher_ForgetsHosts checks that the number of tracked hosts stays bounded, however many
// names an attacker uses.
func TestFetcher_ForgetsHosts(t *testing.T) {
	clock := new(chaintest.Clock)
	f := newFetcher(t, metadata.FetcherOptions{Resolver: nameServer(t), Clock: clock.Random(0)})
	for i := range 3000 {
		text, err := f.Fetch(t.Context(), fmt.Sprintf("http://h%d.example/", i))
		reason(t, text, err)
	}
	if got := metadata.Hosts(f); got > 1024 {
		t.Errorf("%d hosts are tracked, want at most 1024", got)
	}
}

// TestFetcher_Ends checks that a fetch ends at once when ctx does, with ctx's error.
func TestFetcher_Ends(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	_, err := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}).Fetch(ctx, server.URL)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
