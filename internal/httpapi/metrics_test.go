package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
)

// metricsOf returns the text of /metrics, after a line feed.
func metricsOf(t *testing.T, c *apitest.Client) string {
	t.Helper()
	text := regexp.MustCompile(`(?m)^.*chain="two".*\n`).ReplaceAllString(c.Send(t, http.MethodGet, "/metrics", "").Body, "")
	return "\n" + strings.NewReplacer(`{chain="one"}`, "", `chain="one",`, "").Replace(text)
}

// TestMetrics_Operations checks that operations are counted by name or route and by result,
// with their cost.
func TestMetrics_Operations(t *testing.T) {
	c := serve(t)
	for range 2 {
		c.Ask(t, "query Two { a: __typename b: __typename }", "")
	}
	c.Ask(t, "query Two { mints(first: -1) { page } }", "")
	c.Ask(t, "query Wrong { mints(first: -1) { page } }", "")
	c.Ask(t, "query Invalid { secret }", "")
	c.Ask(t, "query "+strings.Repeat("l", 65)+" { __typename }", "")
	c.Ask(t, "{ __typename }", "")
	c.Send(t, http.MethodGet, "/v1/burns?limit=1", "")
	got := metricsOf(t, c)
	for _, line := range []string{
		`operations_total{operation="Two",result="ok"} 2`, `operations_total{operation="Two",result="error"} 1`,
		`operation_cost_total{operation="Two"} 25`, `operations_total{operation="(other)",result="error"} 1`,
		`operations_total{operation="(other)",result="ok"} 1`, `operations_total{operation="(none)",result="ok"} 1`,
		`operations_total{operation="/v1/burns",result="ok"} 1`,
	} {
		if !strings.Contains(got, "\nmintburn_"+line+"\n") {
			t.Errorf("/metrics has no %s", line)
		}
	}
	if strings.Contains(got, "Wrong") || strings.Contains(got, "Invalid") {
		t.Error("an operation that failed has metrics of its own")
	}
	if seconds := regexp.MustCompile(`\nmintburn_operation_seconds_total\{operation="Two"\} (\S+)\n`).FindStringSubmatch(got); seconds == nil || seconds[1] == "0" {
		t.Errorf("the time of Two is %v", seconds)
	}
}

// TestMetrics_HostileNames checks that 100,000 operation names produce fewer than 2,000
// series, and that earlier names keep their metrics.
func TestMetrics_HostileNames(t *testing.T) {
	const names, batch = 100_000, 1_000
	c := serveStore(t, nil, func(c *httpapi.Config) { c.Limits.Batch = batch })
	c.Ask(t, "query Ours { __typename }", "")
	for i := range names / batch {
		if testing.Short() && i == 2 {
			break
		}
		requests := make([]string, batch)
		for j := range requests {
			requests[j] = apitest.Request(fmt.Sprintf("query n%d { __typename }", i*batch+j), "")
		}
		if got := c.Send(t, http.MethodPost, "/graphql", apitest.BatchOf(requests...)); got.Status != http.StatusOK {
			t.Fatalf("status %d: %s", got.Status, got.Body)
		}
	}
	c.Ask(t, "query Ours { __typename }", "")
	got := metricsOf(t, c)
	series := len(regexp.MustCompile(`\n\w`).FindAllString(got, -1))
	if t.Logf("%d series", series); series >= 2_000 {
		t.Errorf("/metrics has %d series, want less than 2,000", series)
	}
	if own := strings.Count(got, "\nmintburn_operation_cost_total{"); own != 100+15 {
		t.Errorf("%d names have metrics of their own, want 100, 13 routes and 2", own)
	}
	if !strings.Contains(got, `mintburn_operations_total{operation="Ours",result="ok"} 2`) {
		t.Error("the name that was there first has lost its metrics")
	}
}

// TestMetrics_State checks the metrics of caches, slots and memory.
func TestMetrics_State(t *testing.T) {
	c := serve(t, func(c *httpapi.Config) { c.Limits.Concurrency = 7 })
	const query = "query Known { __typename }"
	for range 4 {
		c.Ask(t, query, "")
	}
	hashed := func(query string) string {
		return fmt.Sprintf(`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":%q}}%s}`, httpapi.HashOf(`{ __typename }`), query)
	}
	for _, text := range []string{"", `,"query":"{ __typename }"`, "", ""} {
		c.Post(t, hashed(text))
	}
	got := metricsOf(t, c)
	for _, line := range []string{
		`cache_requests_total{cache="queries",result="hit"} 2`, `cache_requests_total{cache="queries",result="miss"} 3`, `cache_entries{cache="queries"} 1`,
		`cache_requests_total{cache="persisted",result="hit"} 2`, `cache_requests_total{cache="persisted",result="miss"} 2`, `cache_entries{cache="persisted"} 1`,
		`limiter_slots 7`, `limiter_running 0`, `limiter_waiting 0`, `limiter_waiting_max 512`, `answer_memory_bytes 0`, `answer_memory_max_bytes 2.68435456e+08`,
		`http_requests_total{route="graphql",status="200"} 8`,
	} {
		if !strings.Contains(got, "\nmintburn_"+line+"\n") {
			t.Errorf("/metrics has no %s", line)
		}
	}
}
