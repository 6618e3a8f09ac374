package command_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestServe_Ready checks /readyz of servers with old data, with and without --max-lag.
func TestServe_Ready(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	empty := storetest.SQLite(t)
	for name, c := range map[string]struct {
		args   []string
		status int
		text   string
	}{
		"any age":        {[]string{"--db", db}, http.StatusOK, "ready\n"},
		"recent enough":  {[]string{"--db", db, "--max-lag", "1000000h"}, http.StatusOK, "ready\n"},
		"too old":        {[]string{"--db", db, "--max-lag", "1h"}, http.StatusServiceUnavailable, "not ready: the last indexed block is older than 1h0m0s\n"},
		"empty, any age": {[]string{"--db", empty}, http.StatusServiceUnavailable, "not ready: nothing is indexed yet\n"},
		"empty, max lag": {[]string{"--db", empty, "--max-lag", "1h"}, http.StatusServiceUnavailable, "not ready: nothing is indexed yet\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, append([]string{"serve"}, c.args...)...)
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != c.status || got.Body != c.text {
				t.Errorf("status %d, %q: want %d, %q", got.Status, got.Body, c.status, c.text)
			}
			if got := s.Send(t, http.MethodGet, "/healthz", ""); got.Status != http.StatusOK || got.Body != "ok\n" {
				t.Errorf("/healthz: status %d, %q", got.Status, got.Body)
			}
		})
	}
}

// TestServe_ReadyWhenLoaded checks /readyz of a server while another process loads its
// database.
func TestServe_ReadyWhenLoaded(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	server := start(t, "serve", "--db", db)
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	apply := func(ctx context.Context) error {
		_, err := s.Apply(ctx, []nft.Block{{Header: evm.Header{BlockRef: evm.BlockRef{Number: 7, Hash: evm.Hash{1}}, Time: 1}}})
		return err
	}
	for _, step := range []struct {
		do     func(context.Context) error
		status int
	}{
		{s.CheckSchema, http.StatusServiceUnavailable},
		{write.LoadOf(s).Begin, http.StatusServiceUnavailable},
		{apply, http.StatusServiceUnavailable},
		{write.LoadOf(s).Finish, http.StatusOK},
	} {
		expect.NoError(t, step.do(t.Context()))
		if got := server.Send(t, http.MethodGet, "/readyz", ""); got.Status != step.status {
			t.Errorf("status %d, want %d: %s", got.Status, step.status, got.Body)
		}
	}
}

func TestServe_Metrics(t *testing.T) {
	t.Parallel()
	s := serve(t, importChainA(t))
	s.Get(t, "{ mints(first: 1) { totalItems } }", "")
	s.Ask(t, "{ mints(first: 5000) { totalItems } }", "")
	s.Ask(t, "{ prices }", "")
	s.Send(t, http.MethodGet, "/v1/block/x/nft/mints", "")
	got := s.Send(t, http.MethodGet, "/metrics", "")
	if got.Status != http.StatusOK {
		t.Fatalf("status %d: %s", got.Status, got.Body)
	}
	for _, line := range []string{
		`mintburn_records{kind="mint"} 1080`, `mintburn_records{kind="burn"} 235`, `mintburn_rejected_logs 10`,
		`mintburn_indexed_blocks 361`, `mintburn_verified_blocks 361`, `mintburn_head_block 360`,
		`mintburn_http_requests_total{route="graphql",status="200"} 3`, `mintburn_http_requests_total{route="rest",status="400"} 1`,
		`mintburn_http_request_seconds_count{route="graphql"} 3`,
		`mintburn_errors_total{code="BAD_USER_INPUT"} 2`, `mintburn_errors_total{code="GRAPHQL_VALIDATION_FAILED"} 1`,
	} {
		if !strings.Contains(got.Body, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if !regexp.MustCompile(`(?m)^mintburn_lag_seconds [1-9]`).MatchString(got.Body) {
		t.Error("no lag")
	}
	empty := start(t, "serve", "--db", storetest.SQLite(t))
	if got := empty.Send(t, http.MethodGet, "/metrics", ""); got.Status != http.StatusOK || strings.Contains(got.Body, "mintburn_head_block") {
		t.Errorf("an empty database: status %d: %.300s", got.Status, got.Body)
	}
}

// TestServe_MetricsWithoutDatabase checks that a scrape still works when the database
// fails, without revealing the reason.
func TestServe_MetricsWithoutDatabase(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	s := serve(t, db)
	if got := s.Send(t, http.MethodGet, "/metrics", ""); !strings.Contains(got.Body, "\nmintburn_database_up 1\n") {
		t.Errorf("no database_up: %.300s", got.Body)
	}
	change(t, db, "ALTER TABLE coverage RENAME TO elsewhere")
	got := s.Send(t, http.MethodGet, "/metrics", "")
	if got.Status != http.StatusOK || !strings.Contains(got.Body, "\nmintburn_database_up 0\n") ||
		!strings.Contains(got.Body, "\nmintburn_http_request_seconds_count") || strings.Contains(got.Body, "coverage") {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}

// TestServe_MetricsListen checks that --metrics-listen moves the metrics to a separate
// listener.
func TestServe_MetricsListen(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	s := start(t, "serve", "--db", db, "--metrics-listen", "127.0.0.1:0")
	if got := s.Send(t, http.MethodGet, "/metrics", ""); got.Status != http.StatusNotFound {
		t.Errorf("/metrics of the public listener: status %d, want 404", got.Status)
	}
	found := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/metrics`).FindStringSubmatch(s.output.String())
	if found == nil {
		t.Fatalf("it does not log the address of the metrics: %s", s.output)
	}
	s.Get(t, "{ mints(first: 1) { totalItems } }", "")
	own := &apitest.Client{Base: found[1]}
	got := own.Send(t, http.MethodGet, "/metrics", "")
	for _, line := range []string{`mintburn_http_requests_total{route="graphql",status="200"} 1`, `mintburn_head_block 360`, `mintburn_database_up 1`} {
		if got.Status != http.StatusOK || !strings.Contains(got.Body, "\n"+line+"\n") {
			t.Errorf("status %d, no line %s", got.Status, line)
		}
	}
	for path, status := range map[string]int{"/": 404, "/graphql": 404, "/readyz": 404} {
		if got := own.Send(t, http.MethodGet, path, ""); got.Status != status {
			t.Errorf("%s: status %d, want %d", path, got.Status, status)
		}
	}
	taken := strings.TrimPrefix(found[1], "http://")
	for address, want := range map[string]struct {
		code int
		said string
	}{
		"nowhere": {2, `mintburn: --metrics-listen: got "nowhere", want HOST:PORT`},
		taken:     {1, "mintburn: listening (--metrics-listen): "},
	} {
		if _, said, code := run(t, nil, "serve", "--db", db, "--listen", "127.0.0.1:0", "--metrics-listen", address); code != want.code || !strings.Contains(said, want.said) {
			t.Errorf("%s: exit code %d, want %d: %s", address, code, want.code, said)
		}
	}
}

// TestServe_Drain stops a server with --drain. It is not ready, but serves until the time
// has passed or a second signal arrives. A subscription ends at once.
func TestServe_Drain(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	for _, c := range []struct{ drain, end string }{{"1h", "signal: terminated"}, {"300ms", ""}} {
		t.Run(c.drain, func(t *testing.T) {
			s, process, ended := startProcess(t, func(*exec.Cmd) {}, "--db", db, "--drain", c.drain)
			if s.Base == "" {
				t.Fatalf("it does not serve: %s", s.output)
			}
			body := `{"query":"subscription { changes { cursor } }"}`
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+"/graphql", strings.NewReader(body))
			expect.NoError(t, err)
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
			response, err := http.DefaultClient.Do(r)
			expect.NoError(t, err)
			defer response.Body.Close()
			expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
			// It breaks off, so that the client subscribes again.
			if text, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(string(text), "complete") {
				t.Errorf("the subscription ended with %q, %v", text, err)
			}
			if c.drain == "1h" {
				until(t, func() bool { return s.Send(t, http.MethodGet, "/readyz", "").Status == http.StatusServiceUnavailable })
				if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Body != "not ready: the server is stopping\n" {
					t.Errorf("/readyz: %q", got.Body)
				}
				s.Get(t, "{ mints(first: 1) { totalItems } }", "")
				expect.NoError(t, process.Process.Signal(syscall.SIGTERM))
			}
			end := ""
			if err := <-ended; err != nil {
				end = err.Error()
			}
			if end != c.end {
				t.Errorf("it ended with %q, want %q: %s", end, c.end, s.output)
			}
		})
	}
	fails(t, 2, "--drain: got 2h0m0s, want 0s to 1h0m0s", "serve", "--db", db, "--drain", "2h")
}
