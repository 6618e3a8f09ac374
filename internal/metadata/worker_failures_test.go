package metadata_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

// TestWorker_SurvivesErrors retries errors and panics of the queue and of the
// node. Panics are counted.
func TestWorker_SurvivesErrors(t *testing.T) {
	for name, fail := range map[string]func() error{
		"errors": func() error { return errors.New("not now") },
		"panics": func() error { panic("a bug") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				uris := map[nft.TokenKey]string{token(1): "data:,{}", token(2): "{}", token(3): "x"}
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
				if diff := cmp.Diff(want, clock.sleeps); diff != "" {
					t.Errorf("pauses (-want +got):\n%s", diff)
				}
				if want := map[string]int{"errors": 0, "panics": 17}[name]; panics != want {
					t.Errorf("%d panics were counted, want %d", panics, want)
				}
			})
		})
	}
}

// TestWorker_SurvivesPanics of what it calls beside the queue and the node.
func TestWorker_SurvivesPanics(t *testing.T) {
	uris := map[nft.TokenKey]string{token(1): "{}"}
	var log bytes.Buffer
	w, clock := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, newFetcher(t, metadata.FetcherOptions{}))
	var looked, panics atomic.Int64
	w.Now = func() time.Time {
		// The first time is that of the fetch, whose panics are failures of the
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
