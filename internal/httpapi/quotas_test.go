package httpapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/apitest"
)

// clock is the time of a test, in milliseconds after accessTime.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return accessTime.Add(time.Duration(c.Load()) * time.Millisecond) }

// serveQuota serves the recorded chain with a quota of 600, which refills at ten per second.
func serveQuota(t *testing.T, keys ...string) (*apitest.Client, *clock) {
	t.Helper()
	c := &clock{}
	return serve(t, withKeys(keyFile(keys).parse(t), admit.Access{Quota: 600, Now: c.now})), c
}

// spending returns a query with a cost.
func spending(cost int) string {
	return "{ " + apitest.Repeat(cost/21, func(i int) string { return fmt.Sprintf("r%d: mints(first: 0) { page } ", i) }) +
		apitest.Repeat(cost%21, func(i int) string { return fmt.Sprintf("s%d: __typename ", i) }) + "}"
}

// limits returns the status and the quota headers.
func limits(got *apitest.Reply) string {
	return fmt.Sprintf("%d %s %s %s", got.Status, got.Header.Get("RateLimit-Policy"), got.Header.Get("RateLimit"), got.Header.Get("Retry-After"))
}

// TestQuota_Headers spends a quota, and waits as long as the answer says.
func TestQuota_Headers(t *testing.T) {
	s, clock := serveQuota(t)
	for _, step := range []struct {
		after int64
		cost  int
		want  string
	}{
		{0, 100, `200 "default";q=600;w=60 "default";r=500;t=10 `},
		{0, 120, `200 "default";q=600;w=60 "default";r=380;t=22 `},
		{1000, 100, `200 "default";q=600;w=60 "default";r=290;t=31 `},
		{0, 200, `200 "default";q=600;w=60 "default";r=90;t=51 `},
		// Reading the request costs 1.
		{0, 100, `429 "default";q=600;w=60 "default";r=89;t=52 2`},
		{1100, 100, `200 "default";q=600;w=60 "default";r=0;t=60 `},
		{0, 22, `429 "default";q=600;w=60 "default";r=0;t=60 1`},
		{100, 22, `429 "default";q=600;w=60 "default";r=0;t=60 3`},
		{60_000, 100, `200 "default";q=600;w=60 "default";r=500;t=10 `},
	} {
		clock.Add(step.after)
		got := s.Post(t, inJSON(spending(step.cost)))
		if limits(got) != step.want {
			t.Errorf("after %d ms, cost %d: %s, want %s", step.after, step.cost, limits(got), step.want)
		}
		if got.Status == 429 {
			if e := got.OnlyError(t, "RATE_LIMITED"); !strings.HasPrefix(e.Message, "the quota of 600 a minute is spent: try again in ") {
				t.Errorf("%s", e.Message)
			}
		}
	}
}

// TestQuota_RetryAfter checks that a request succeeds after the announced time. If nothing was
// left even for reading it, the first answer cannot include its cost.
func TestQuota_RetryAfter(t *testing.T) {
	s, clock := serveQuota(t)
	for i := range 200 {
		cost := 21 + i*37%580
		for tries, wait := 2, int64(0); ; tries-- {
			got := s.Post(t, inJSON(spending(cost)))
			if got.Status == 200 {
				break
			}
			if tries == 0 || tries < 2 && wait > 1 {
				t.Fatalf("%d: cost %d after %d s: %s", i, cost, wait, limits(got))
			}
			var err error
			wait, err = strconv.ParseInt(got.Header.Get("Retry-After"), 10, 64)
			if clock.Add(1000 * wait); err != nil || wait < 1 || wait > 60 {
				t.Fatalf("%d: cost %d: %s", i, cost, limits(got))
			}
		}
	}
}

// TestQuota_Clients checks that each address, IPv6 network and key has its own quota.
func TestQuota_Clients(t *testing.T) {
	s, _ := serveQuota(t, "alice", "bob quota=1000", "carol quota=0", "dave max-cost=50 quota=2000", "erin quota=100")
	ask := func(remote, key string, cost int) string {
		s.RemoteAddr = remote
		got := s.Post(t, inJSON(spending(cost)), "X-API-Key", key)
		return strings.Fields(limits(got))[0] + " " + got.Header.Get("RateLimit")
	}
	for i, step := range []struct {
		remote, key string
		cost        int
		want        string
	}{
		{"192.0.2.1:1", "", 500, `200 "default";r=100;t=50`},
		{"192.0.2.1:2", "", 500, `429 "default";r=99;t=51`},
		{"192.0.2.2:1", "", 500, `200 "default";r=100;t=50`},
		{"[2001:db8::1]:1", "", 500, `200 "default";r=100;t=50`},
		{"[2001:db8::ffff:1]:1", "", 500, `429 "default";r=99;t=51`},
		{"[2001:db8:0:1::1]:1", "", 500, `200 "default";r=100;t=50`},
		// A key has one quota for all addresses, and does not share theirs.
		{"192.0.2.1:1", "secret-alice", 500, `200 "default";r=100;t=50`},
		{"192.0.2.9:1", "secret-alice", 500, `429 "default";r=99;t=51`},
		{"192.0.2.1:1", "secret-bob", 900, `200 "default";r=100;t=54`},
		{"192.0.2.1:1", "secret-carol", 1500, `200 `},
		{"192.0.2.1:1", "secret-carol", 1500, `200 `},
		{"192.0.2.1:1", "secret-dave", 50, `200 "default";r=1950;t=2`},
	} {
		if got := ask(step.remote, step.key, step.cost); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
	// A request that costs more than a quota could never run.
	for key, most := range map[string]int{"secret-dave": 50, "secret-erin": 100, "": 600} {
		s.RemoteAddr = "192.0.2.77:1"
		e := s.Post(t, inJSON(spending(most+1)), "X-API-Key", key).OnlyError(t, "QUERY_TOO_COSTLY")
		if e.Extensions["maxCost"] == nil || fmt.Sprint(e.Extensions["maxCost"]) != fmt.Sprint(most) {
			t.Errorf("%q: %v, want at most %d", key, e.Extensions, most)
		}
	}
}

// TestQuota_Requests checks how much each kind of request takes from a quota of 600.
func TestQuota_Requests(t *testing.T) {
	one := inJSON(spending(50))
	for name, test := range map[string]struct {
		send func(s *apitest.Client) *apitest.Reply
		want string
	}{
		"POST":  {func(s *apitest.Client) *apitest.Reply { return s.Post(t, one) }, `200 "default";r=550;t=5`},
		"GET":   {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", lag, "") }, `200 "default";r=579;t=3`},
		"batch": {func(s *apitest.Client) *apitest.Reply { return s.Post(t, apitest.BatchOf(one, one, one)) }, `200 "default";r=450;t=15`},
		"costly batch": {func(s *apitest.Client) *apitest.Reply {
			return s.Post(t, apitest.BatchOf(inJSON(spending(400)), inJSON(spending(300))))
		}, `200 "default";r=599;t=1`},
		"wrong batch":      {func(s *apitest.Client) *apitest.Reply { return s.Post(t, apitest.BatchOf("{}", inJSON("{"))) }, `200 "default";r=599;t=1`},
		"not JSON":         {func(s *apitest.Client) *apitest.Reply { return s.Post(t, "{") }, `400 "default";r=599;t=1`},
		"not GraphQL":      {func(s *apitest.Client) *apitest.Reply { return s.Post(t, inJSON("{")) }, `200 "default";r=599;t=1`},
		"nothing selected": {func(s *apitest.Client) *apitest.Reply { return s.Post(t, inJSON("{ chain @skip(if: true) { lag } }")) }, `200 "default";r=599;t=1`},
		"REST":             {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", mintsPath, "") }, `200 "default";r=543;t=6`},
		"REST, wrong":      {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", "/v1/mints?limit=x", "") }, `400 "default";r=599;t=1`},
		"REST, bad method": {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "PUT", mintsPath, "") }, `405 `},
		"a preflight":      {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "OPTIONS", lag, "") }, `204 `},
		"health":           {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", "/healthz", "") }, `200 `},
		"the page":         {func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", "/", "") }, `200 `},
		"an unknown key":   {func(s *apitest.Client) *apitest.Reply { return s.Post(t, one, "X-API-Key", "x") }, `401 `},
		"a request from a foreign page": {func(s *apitest.Client) *apitest.Reply {
			return s.Send(t, "GET", lag, "", "Sec-Fetch-Site", "cross-site")
		}, `403 `},
	} {
		s, _ := serveQuota(t)
		got := test.send(s)
		if text := fmt.Sprintf("%d %s", got.Status, got.Header.Get("RateLimit")); text != test.want {
			t.Errorf("%s: %s, want %s: %.200s", name, text, test.want, got.Body)
		}
	}
}

// TestQuota_Batch checks that a batch beyond the quota does not run at all, and that invalid
// operations keep their own errors.
func TestQuota_Batch(t *testing.T) {
	s, _ := serveQuota(t)
	s.Post(t, inJSON(spending(400)))
	got := s.Post(t, apitest.BatchOf(inJSON(spending(100)), inJSON("{"), inJSON(spending(101))))
	if limits(got) != `429 "default";q=600;w=60 "default";r=199;t=41 1` || strings.Count(got.Body, "RATE_LIMITED") != 2 || strings.Count(got.Body, "GRAPHQL_PARSE_FAILED") != 1 {
		t.Errorf("%s: %s", limits(got), got.Body)
	}
	if got := s.Post(t, apitest.BatchOf(inJSON(spending(100)), inJSON(spending(99)))); got.Status != 200 || strings.Contains(got.Body, "errors") {
		t.Errorf("%s: %s", limits(got), got.Body)
	}
}
