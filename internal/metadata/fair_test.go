package metadata_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

// TestWorker_EachHostHasItsTurn checks that hosts with more tokens than they answer in time
// keep no other host from its turn, and that all tokens get their documents, once each.
func TestWorker_EachHostHasItsTurn(t *testing.T) {
	many := func(n int, format string) (uris []string) {
		for i := range n {
			uris = append(uris, fmt.Sprintf(format, i))
		}
		return uris
	}
	for name, test := range map[string]struct {
		busy  []string
		takes time.Duration
	}{
		"a slow host":        {many(820, "http://slow/%d"), 14 * time.Second},
		"a slow gateway":     {many(820, "ipfs://"+cid0+"/%d"), 14 * time.Second},
		"a slow second host": {many(700, "http://moved/%d"), 10 * time.Second},
		"a quick host":       {many(5000, "http://full/%d"), 50 * time.Millisecond},
		"five slow hosts":    {append(append(append(append(many(300, "http://a/%d"), many(300, "http://b/%d")...), many(300, "http://c/%d")...), many(300, "http://d/%d")...), many(300, "http://e/%d")...), 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, asked, mu := time.Now(), map[string]int{}, sync.Mutex{}
				var last time.Duration
				o := metadata.FetcherOptions{IPFS: []string{"http://slowgate"}}
				f, _ := pipedFetcher(t, o, func(w http.ResponseWriter, r *http.Request) {
					if r.Host == "moved" {
						http.Redirect(w, r, "http://slow"+r.URL.Path, http.StatusFound)
						return
					}
					mu.Lock()
					asked[r.Host+r.URL.Path]++
					if r.Host == "idle" {
						last = time.Since(began)
					}
					mu.Unlock()
					if r.Host != "idle" {
						pause(r, test.takes)
					}
					fmt.Fprint(w, document)
				})
				uris := map[nft.TokenKey]string{}
				for i, uri := range append(test.busy, many(20, "http://idle/%d")...) {
					uris[nft.TokenKey{Contract: contract, TokenID: evm.NewUint256(uint64(i))}] = uri
				}
				q := &queue{due: tasksOf(uris)}
				for i := range q.due {
					q.due[i].Due = int64(i) - 1_000_000
				}
				w, _ := newWorker(q, &contracts{tokenURI: uris}, f)
				w.Now, w.Sleep = nil, nil
				documents := 0
				w.Progress = func(found, failed int) { documents += found - 1_000_000*failed }
				if resolve(t, w); documents != len(uris) || len(asked) != len(uris) {
					t.Errorf("%d documents after requests for %d, want %d", documents, len(asked), len(uris))
				}
				if last > 100*time.Second {
					t.Errorf("the idle host got its last request after %s", last)
				}
				for url, n := range asked {
					if n > 1 {
						t.Errorf("%s: %d requests", url, n)
					}
				}
			})
		})
	}
}

// TestWorker_NewestFirst checks that a new mint goes before the older tokens of a busy host.
func TestWorker_NewestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var took atomic.Int64
		f, _ := pipedFetcher(t, metadata.FetcherOptions{}, func(w http.ResponseWriter, r *http.Request) {
			pause(r, 10*time.Second)
			if fmt.Fprint(w, document); strings.HasSuffix(r.URL.Path, "new") {
				took.Store(int64(time.Since(began)))
			}
		})
		uris, q, newest := tokens(1000, "http://slow/"), new(queue), token(1000)
		q.due, uris[newest] = tasksOf(uris), "http://slow/new"
		q.claimed = func() error {
			if time.Since(began) > 100*time.Second && took.CompareAndSwap(0, 1) {
				q.due = append(q.due, nft.Task{TokenKey: newest, Due: -1})
			}
			return nil
		}
		w, _ := newWorker(q, &contracts{tokenURI: uris}, f)
		w.Now, w.Sleep = nil, nil
		resolve(t, w)
		if took := time.Duration(took.Load()); took > 3*time.Minute || took < time.Minute {
			t.Errorf("a mint after 100 s was answered after %s", took)
		}
	})
}
