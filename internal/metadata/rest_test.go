package metadata_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

// TestWorker_HostRests checks that a host that asks for a pause gets it, from the tokens of
// all collections and as a gateway.
func TestWorker_HostRests(t *testing.T) {
	for name, test := range map[string]struct {
		status     int
		retryAfter string
		// rests is the pause, least and most bound the requests to the host.
		rests       time.Duration
		least, most int64
	}{
		"429":                      {429, "120", 2 * time.Minute, 1, 4},
		"503":                      {503, "3600", time.Hour, 1, 4},
		"a date":                   {429, "Sat, 01 Jan 2000 01:00:00 GMT", time.Hour, 1, 4},
		"a week":                   {503, "604800", 24 * time.Hour, 1, 4},
		"429 without a pause":      {429, "", 0, 40, 120},
		"a pause that is past":     {429, "-5", 0, 40, 120},
		"404 with a pause":         {404, "120", 0, 40, 40},
		"500 rests only the token": {500, "120", 0, 40, 40},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var asked atomic.Int64
				uris := map[nft.TokenKey]string{}
				for i := range 20 {
					uris[nft.TokenKey{Contract: evm.Address{byte(i % 3)}, TokenID: evm.NewUint256(uint64(i))}] = fmt.Sprintf("http://ill/%d", i)
					uris[nft.TokenKey{Contract: evm.Address{9}, TokenID: evm.NewUint256(uint64(i))}] = fmt.Sprintf("ipfs://%s/%d", cid0, i)
				}
				o := metadata.FetcherOptions{IPFS: []string{"http://ill", "http://good"}}
				f, _ := pipedFetcher(t, o, func(w http.ResponseWriter, r *http.Request) {
					if r.Host == "good" {
						fmt.Fprint(w, document)
						return
					}
					asked.Add(1)
					if test.retryAfter != "" {
						w.Header().Set("Retry-After", test.retryAfter)
					}
					w.WriteHeader(test.status)
				})
				w, _ := newWorker(&queue{due: tasksOf(uris)}, &contracts{tokenURI: uris}, f)
				w.Now, w.Sleep = nil, nil
				for key, got := range resolve(t, w) {
					switch isContent := strings.HasPrefix(uris[key], "ipfs:"); {
					case isContent != (got.Document != nil):
						t.Errorf("%s: %q", uris[key], got.Problem)
					case !isContent && test.rests > 0 && got.NextAt < uint64(began.Add(test.rests).Unix()):
						t.Errorf("%s: %q, next attempt after %d s", uris[key], got.Problem, got.NextAt-uint64(began.Unix()))
					}
				}
				before := asked.Load()
				if before < test.least || before > test.most {
					t.Errorf("%d requests, want %d to %d", before, test.least, test.most)
				}
				// After the pause the host gets requests again.
				<-time.After(test.rests)
				text, err := f.Fetch(t.Context(), "http://ill/again")
				if reason(t, text, err); asked.Load() != before+1 {
					t.Errorf("after the pause: %v", err)
				}
			})
		})
	}
}

// TestFetcher_ShortRest checks that requests wait for a short pause.
func TestFetcher_ShortRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last time.Time
		f, _ := pipedFetcher(t, metadata.FetcherOptions{}, func(w http.ResponseWriter, _ *http.Request) {
			last = time.Now()
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		began := time.Now()
		for i := range 3 {
			text, err := f.Fetch(t.Context(), "http://a/")
			if reason(t, text, err); last.Sub(began) != time.Duration(5*i)*time.Second {
				t.Errorf("request %d was sent after %s", i, last.Sub(began))
			}
		}
	})
}
