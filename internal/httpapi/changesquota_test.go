package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/expect"
)

// TestChanges_ScannedQuota checks that batches which read records that the filter leaves out are
// charged although nobody gets them, to subscriptions and long polls alike, and that batches which
// find nothing by an index are free.
func TestChanges_ScannedQuota(t *testing.T) {
	t.Parallel()
	blocks := generated(16, 3)
	var some []string
	for _, b := range blocks[10:] {
		for _, r := range slices.Concat(b.Mints, b.Burns) {
			some = append(some, r.Contract.String())
		}
	}
	slices.Sort(some)
	some = slices.Compact(some)
	both := "kind=added&account=" + noneAddress + "&address=" + strings.Join(some, "&address=")
	for name, c := range map[string]struct {
		path, accept string
		scans        bool
	}{
		"event stream":         {"/v1/changes?" + both, asEvents, true},
		"long poll":            {"/v1/changes?wait=60s&" + both, asJSON, true},
		"subscription":         {`/graphql?query=subscription{changes(kinds:[ADDED],addresses:["` + strings.Join(some, `","`) + `"],accounts:"` + noneAddress + `"){cursor}}`, asEvents, true},
		"event stream, index":  {"/v1/changes?kind=added&account=" + noneAddress, asEvents, false},
		"long poll, index":     {"/v1/changes?wait=60s&kind=added&account=" + noneAddress, asJSON, false},
		"long poll, no record": {"/v1/changes?wait=60s&kind=finalized&address=" + some[0] + "&account=" + noneAddress, asJSON, false},
	} {
		t.Run(name, func(t *testing.T) {
			store := storeOf(t, blocks[:10])
			s := online(t, serveStore(t, store, withKeys(keyFile{}.parse(t), admit.Access{Quota: 1_000_000, Now: (&clock{}).now})))
			left := func() (n int) {
				got := s.Send(t, http.MethodGet, "/graphql?query={__typename}", "")
				_, err := fmt.Sscanf(got.Header.Get("RateLimit"), `"default";r=%d;`, &n)
				expect.NoError(t, err)
				return n
			}
			// The price of one batch.
			first := left()
			s.Send(t, http.MethodGet, strings.Replace(strings.Replace(c.path, "wait=60s&", "", 1), "=subscription", "=query", 1), "")
			price := first - left() - 1
			first = left()
			ran := func() string {
				return fmt.Sprint(regexp.MustCompile(`mintburn_operations_total{operation=".*",result="ok"} \d+`).FindAllString(s.Send(t, http.MethodGet, "/metrics", "").Body, -1))
			}
			before := ran()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+c.path, nil)
			expect.NoError(t, err)
			r.Header.Set("Accept", c.accept)
			go func() {
				if response, err := http.DefaultClient.Do(r); err == nil {
					<-t.Context().Done()
					response.Body.Close()
				}
			}()
			within(t, "the first batch", func() bool { return ran() != before })
			for i := range blocks[10:] {
				seen := ran()
				_, err := store.Apply(t.Context(), blocks[10+i:11+i])
				expect.NoError(t, err)
				within(t, "a batch", func() bool { return ran() != seen })
			}
			// A stream pays for the next batch in advance.
			spent := first - left() - 1
			if price < 50 || c.scans && spent < 5*price || !c.scans && spent > 2*price {
				t.Errorf("spent %d for 6 blocks, where a batch costs %d", spent, price)
			}
		})
	}
}
