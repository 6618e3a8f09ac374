package metadata_test

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/metadata"
)

// pipes is an in-memory network for tests with fake time.
type pipes chan net.Conn

// Accept implements [net.Listener].
func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// Close implements [net.Listener].
func (p pipes) Close() error { close(p); return nil }

// Addr implements [net.Listener].
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// pipedFetcher returns a fetcher that reaches the handler under every host name, and a function
// that returns the number of connections so far. It is for use in a synctest bubble.
func pipedFetcher(t *testing.T, o metadata.FetcherOptions, handler http.HandlerFunc) (f *metadata.Fetcher, dials func() int) {
	t.Helper()
	var dialed atomic.Int64
	f, network, server := newFetcher(t, o), make(pipes), &http.Server{Handler: handler}
	metadata.Dial(f, func(context.Context, string, string) (net.Conn, error) {
		dialed.Add(1)
		ours, theirs := net.Pipe()
		network <- theirs
		return ours, nil
	})
	go func() { _ = server.Serve(network) }()
	t.Cleanup(func() { _ = server.Close() })
	return f, func() int { return int(dialed.Load()) }
}

// quiet waits until the client gives up.
func quiet(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// pause waits for d or until the client gives up.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

// TestFetcher_Time checks how long a fetch takes, including redirects and gateways.
func TestFetcher_Time(t *testing.T) {
	late := func(after time.Duration, next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { pause(r, after); next(w, r) }
	}
	good := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }
	to := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, location, http.StatusFound) }
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
			pause(r, time.Second)
		}
	}
	const ipfs = "ipfs://" + cid0
	for name, test := range map[string]struct {
		uri      string
		gateways int
		hosts    map[string]http.HandlerFunc
		want     string
		takes    time.Duration
	}{
		"in time": {"http://a/", 0, map[string]http.HandlerFunc{"a": late(12*time.Second-1, good)}, "", 12*time.Second - 1},
		"an endless error page": {"http://a/", 0, map[string]http.HandlerFunc{"a": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound); drip(w, r) }},
			"status 404 Not Found", 0},
		"silent":                {"http://a/", 0, map[string]http.HandlerFunc{"a": quiet}, "no complete answer within 12s", 12 * time.Second},
		"a body without an end": {"http://a/", 0, map[string]http.HandlerFunc{"a": drip}, "no complete answer within 12s", 12 * time.Second},
		"a redirect shares the time": {"http://a/", 0, map[string]http.HandlerFunc{"a": late(5*time.Second, to("http://b/")), "b": late(7*time.Second-1, good)},
			"", 12*time.Second - 1},
		"a redirect to silence": {"http://a/", 0, map[string]http.HandlerFunc{"a": late(5*time.Second, to("http://b/")), "b": quiet},
			"no complete answer within 12s", 12 * time.Second},
		"one gateway has all the time": {ipfs, 1, map[string]http.HandlerFunc{"g0": late(12*time.Second-1, good)}, "", 12*time.Second - 1},
		"two gateways have half of it": {ipfs, 2, map[string]http.HandlerFunc{"g0": quiet, "g1": late(6*time.Second-1, good)}, "", 12*time.Second - 1},
		"each of two gateways is silent": {ipfs, 2, map[string]http.HandlerFunc{"g0": quiet, "g1": quiet},
			"g0: no complete answer within 6s; g1: no complete answer within 6s", 12 * time.Second},
		"three gateways have a third":     {ipfs, 3, map[string]http.HandlerFunc{"g0": quiet, "g1": quiet, "g2": good}, "", 8 * time.Second},
		"unused time is not passed on":    {ipfs, 2, map[string]http.HandlerFunc{"g0": late(time.Second, http.NotFound), "g1": quiet}, "g0: status 404 Not Found; g1: no complete answer within 6s", 7 * time.Second},
		"the first gateway has it":        {ipfs, 2, map[string]http.HandlerFunc{"g0": late(time.Second, good)}, "", time.Second},
		"a redirect shares a gateway's 6": {ipfs, 2, map[string]http.HandlerFunc{"g0": late(4*time.Second, to("http://b/")), "b": quiet, "g1": good}, "", 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gateways := []string{"http://g0", "http://g1", "http://g2"}[:test.gateways]
				f, _ := pipedFetcher(t, metadata.FetcherOptions{Timeout: 12 * time.Second, IPFS: gateways}, func(w http.ResponseWriter, r *http.Request) {
					test.hosts[r.Host](w, r)
				})
				began := time.Now()
				text, err := f.Fetch(t.Context(), test.uri)
				if took := time.Since(began); took != test.takes {
					t.Errorf("took %s, want %s", took, test.takes)
				}
				if test.want != "" {
					if got := reason(t, text, err); got != test.want {
						t.Errorf("reason %q, want %q", got, test.want)
					}
				} else if strings.TrimSpace(text) != "{}" || err != nil {
					t.Errorf("document %q, error %v", text, err)
				}
			})
		})
	}
}

// TestFetcher_Reuses checks that a connection is reused after a short answer without a
// document.
func TestFetcher_Reuses(t *testing.T) {
	for size, want := range map[int]int{0: 1, 4096: 1, 4097: 2} {
		synctest.Test(t, func(t *testing.T) {
			f, dials := pipedFetcher(t, metadata.FetcherOptions{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(size))
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write(make([]byte, size))
			})
			for range 2 {
				text, err := f.Fetch(t.Context(), "http://a/")
				reason(t, text, err)
				synctest.Wait()
			}
			if got := dials(); got != want {
				t.Errorf("%d bytes: %d connections, want %d", size, got, want)
			}
		})
	}
}

// TestFetcher_ConcurrencyOfLaterOnes checks the limit of a host while ending requests are
// replaced by new ones.
func TestFetcher_ConcurrencyOfLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var now, most int
		count := func(change int) {
			mu.Lock()
			defer mu.Unlock()
			now += change
			most = max(most, now)
		}
		f, _ := pipedFetcher(t, metadata.FetcherOptions{PerHost: 2}, func(w http.ResponseWriter, r *http.Request) {
			count(1)
			pause(r, time.Second)
			count(-1)
			_, _ = w.Write([]byte("{}"))
		})
		done := make(chan error)
		fetch := func() {
			_, err := f.Fetch(t.Context(), "http://127.0.0.1/")
			done <- err
		}
		for range 5 {
			go fetch()
		}
		// Start a new request for each that ends.
		for range 10 {
			if err := <-done; err != nil {
				t.Error(err)
			}
			go fetch()
		}
		for range 5 {
			<-done
		}
		if most != 2 {
			t.Errorf("%d requests at a time, want 2", most)
		}
	})
}
