package httpapi_test

import (
	"net/netip"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestSubscription_OwnShare lets two clients subscribe to the same large batch while some client
// has used up its share of the memory: the batch has a share of its own, and without it each client
// uses its own.
func TestSubscription_OwnShare(t *testing.T) {
	const size, first, second = 10 << 20, "192.0.2.1", "192.0.2.2"
	both, one := admit.Shared(), netip.MustParseAddr(first)
	db := storeOf(t)
	start, _ := batchOf(t, openWire(t, online(t, serveStore(t, db)).Base, asEvents, inJSON(follow)).next(t))
	_, err := db.Apply(t.Context(), generated(20, 20))
	expect.NoError(t, err)
	// 100 changes have some 56 KB. A share has room for a request, but not for them.
	document := "subscription($after: Cursor) { changes(after: $after, kinds: [ADDED]) { changes { ... on RecordAdded { transfer { " + numbered(7, "a%d: blockHash", " ") + " } } } } }"
	const all = size/2 - 50<<10
	for name, c := range map[string]struct {
		taken       []httpapi.Taken
		first, then string
	}{
		"that of the first client":         {[]httpapi.Taken{{one, all}}, "data", "data"},
		"the shared one":                   {[]httpapi.Taken{{both, all}}, "data", "data"},
		"the shared one, and that of both": {[]httpapi.Taken{{both, all}, {one, size/4 - 20<<10}}, "RATE_LIMITED", "data"},
	} {
		t.Run(name, func(t *testing.T) {
			started, proceed := make(chan bool, 10), make(chan bool)
			config := config(db)
			config.TrustedProxies = []string{"127.0.0.1"}
			config.Extensions = append(config.Extensions, before(func(string) {
				started <- true
				<-proceed
			}))
			handler, err := httpapi.NewTaken(config, size, c.taken...)
			expect.NoError(t, err)
			base := "http://" + listen(t, handler)
			answers := map[string]chan string{first: make(chan string, 1), second: make(chan string, 1)}
			subscribe := func(client string) {
				go func() {
					_, stream := requestStream(t, base, asEvents, apitest.Request(document, `{"after":"`+start+`"}`), "X-Forwarded-For", client)
					text := make([]byte, 500)
					n, _ := stream.in.Read(text)
					text = text[:n]
					answers[client] <- string(text)
				}()
			}
			subscribe(first)
			<-started
			subscribe(second)
			close(proceed)
			for client, want := range map[string]string{first: c.first, second: c.then} {
				if got := <-answers[client]; !strings.Contains(got, want) {
					t.Errorf("%s: got %.300s, want %s", client, got, want)
				}
			}
		})
	}
}
