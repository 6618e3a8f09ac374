package metadata_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

// TestWorker_SlowCollectionRests checks that a collection is skipped for a while after enough
// consecutive documents took at least half of the timeout, and that other collections are not
// affected.
func TestWorker_SlowCollectionRests(t *testing.T) {
	const timeout = 10 * time.Second
	for name, test := range map[string]struct {
		uri   string
		takes time.Duration
		// least and most bound the slow documents before the others are skipped. They may
		// differ because the next document may get the host's slot before the last slow one
		// is counted.
		least, most int
		// until is the time of the next attempt.
		until time.Duration
		want  string
	}{
		"no answer":               {"http://slow/", time.Hour, 8, 9, 140 * time.Second, "no complete answer within 10s"},
		"no answer of 2 gateways": {"ipfs://" + cid0, time.Hour, 8, 9, 105 * time.Second, "g0: no complete answer within 5s; g1: no complete answer within 5s"},
		"half of the time":        {"http://slow/", timeout / 2, 8, 9, 100 * time.Second, ""},
		"less than half":          {"http://slow/", timeout/2 - 1, 30, 30, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				uris := tokens(30, test.uri)
				other := nft.TokenKey{Contract: evm.Address{0xC1}}
				uris[other] = "http://good/"
				o := metadata.FetcherOptions{Timeout: timeout, IPFS: []string{"http://g0", "http://g1"}, PerHost: 1}
				f, _ := pipedFetcher(t, o, func(w http.ResponseWriter, r *http.Request) {
					if r.Host != "good" {
						pause(r, test.takes)
					}
					_, _ = w.Write([]byte(document))
				})
				w, _ := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, f)
				w.Now, w.Sleep = nil, nil
				slow, resting, began := 0, 0, time.Now()
				for key, got := range resolve(t, w) {
					switch {
					case key == other:
						if got.Document == nil {
							t.Errorf("another collection: %s", got.Problem)
						}
					case strings.HasPrefix(got.Problem, "not tried: "):
						resting++
						if got.Problem != "not tried: the last 8 documents of this collection were slow" || got.NextAt != uint64(began.Add(test.until).Unix()) {
							t.Errorf("got %q, next attempt %d s after the start", got.Problem, got.NextAt-uint64(began.Unix()))
						}
					case got.Problem != test.want:
						t.Errorf("problem %q, want %q", got.Problem, test.want)
					default:
						slow++
					}
				}
				if slow < test.least || slow > test.most || slow+resting != 30 {
					t.Errorf("%d documents were slow and %d skipped, want %d to %d slow and the others skipped", slow, resting, test.least, test.most)
				}
			})
		})
	}
}

// TestSlowness checks when a collection is skipped and for how long.
func TestSlowness(t *testing.T) {
	begin := time.Unix(1_700_000_000, 0)
	var s metadata.Slowness
	one, other := evm.Address{1}, evm.Address{2}
	admitted := func(contract evm.Address, after time.Duration, want bool) {
		t.Helper()
		if err := s.Admit(contract, begin.Add(after)); (err == nil) != want {
			t.Errorf("after %s: got error %v, want admitted: %v", after, err, want)
		}
	}
	note := func(times int, after time.Duration, isSlow bool) {
		for range times {
			s.Note(one, begin.Add(after), isSlow)
		}
	}
	note(7, 0, true)
	note(1, 0, false)
	note(7, 0, true)
	admitted(one, 0, true)
	note(1, 0, true)
	admitted(one, 0, false)
	admitted(other, 0, true)
	admitted(one, time.Minute-1, false)
	admitted(one, time.Minute, true)
	// Documents that began before the collection was skipped do not extend the time.
	note(5, time.Minute-1, true)
	admitted(one, time.Minute, true)
	for _, rest := range []time.Duration{2, 4, 8, 16, 30, 30} {
		note(1, time.Hour, true)
		admitted(one, time.Hour+rest*time.Minute-1, false)
		admitted(one, time.Hour+rest*time.Minute, true)
		begin = begin.Add(time.Hour)
	}
	note(1, time.Hour, false)
	note(7, time.Hour, true)
	admitted(one, time.Hour, true)

	// The number of tracked collections is bounded.
	var many metadata.Slowness
	for i := range 10_001 {
		contract := evm.Address{byte(i >> 8), byte(i), 1}
		for range 8 {
			many.Note(contract, begin, true)
		}
		if resting := many.Admit(contract, begin) != nil; resting != (i < 10_000) {
			t.Errorf("collection %d is skipped: %v", i, resting)
		}
	}
	// Those that are no longer skipped make room for another one.
	for range 8 {
		many.Note(other, begin.Add(time.Minute), true)
	}
	if many.Admit(other, begin.Add(time.Minute)) == nil {
		t.Error("a collection is not tracked after all others were skipped")
	}
}

// TestWorker_Groups checks that ready results are finished together, up to 64 tokens and 8 MiB.
func TestWorker_Groups(t *testing.T) {
	for size, want := range map[int]int{10: 64, 1 << 20: 4, 3 << 20: 2} {
		synctest.Test(t, func(t *testing.T) {
			uris := tokens(uint64(3*want), `{"name":"`+strings.Repeat("x", size)+`"}`)
			q := &queue{due: tasksOf(uris)}
			q.finishing = func([]nft.Resolution) error {
				<-time.After(time.Second)
				return nil
			}
			w, _ := newWorker(q, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{}))
			w.InFlight, w.Batch = 1000, 1000
			resolve(t, w)
			if got := slices.Max(q.groups); got != want {
				t.Errorf("%d bytes: groups of %v, want %d at most", size, q.groups, want)
			}
		})
	}
}

// TestWorker_Stalls checks that a run ends if the contracts can't be called for its longest
// time, and not before.
func TestWorker_Stalls(t *testing.T) {
	refused := errors.New("the method eth_call does not exist")
	for name, test := range map[string]struct {
		failures int
		want     error
	}{"a minute": {9, nil}, "for ever": {1 << 30, refused}} {
		t.Run(name, func(t *testing.T) {
			call := func([]evm.Call) error {
				if test.failures--; test.failures >= 0 {
					return refused
				}
				return nil
			}
			uris := tokens(3, "data:,{}")
			w, clock := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris, calling: call}, newFetcher(t, metadata.FetcherOptions{}))
			w.MaxStall = 2 * time.Minute
			if err := w.Run(t.Context(), true); !errors.Is(err, test.want) {
				t.Errorf("got %v after %v, want %v", err, clock.Waits(), test.want)
			}
		})
	}
}
