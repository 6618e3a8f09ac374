package command_test

import (
	"context"
	"database/sql"
	"net/http"
	"regexp"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"mintburn/internal/store"
)

// TestServe_Ready asks servers whose data is old, and whose age does not matter.
func TestServe_Ready(t *testing.T) {
	db := importChainA(t)
	empty := emptyDB(t)
	for name, c := range map[string]struct {
		args   []string
		status int
		text   string
	}{
		"any age":        {[]string{"--db", db}, http.StatusOK, "ready\n"},
		"young enough":   {[]string{"--db", db, "--max-lag", "1000000h"}, http.StatusOK, "ready\n"},
		"too old":        {[]string{"--db", db, "--max-lag", "1h"}, http.StatusServiceUnavailable, "not ready\n"},
		"nothing":        {[]string{"--db", empty}, http.StatusServiceUnavailable, "not ready\n"},
		"nothing so far": {[]string{"--db", empty, "--max-lag", "1h"}, http.StatusServiceUnavailable, "not ready\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, append([]string{"serve"}, c.args...)...)
			if got := s.send(t, http.MethodGet, "/readyz", ""); got.status != c.status || got.body != c.text {
				t.Errorf("status %d, %q: want %d, %q", got.status, got.body, c.status, c.text)
			}
			if got := s.send(t, http.MethodGet, "/healthz", ""); got.status != http.StatusOK || got.body != "ok\n" {
				t.Errorf("/healthz: status %d, %q", got.status, got.body)
			}
		})
	}
}

// TestServe_ReadyWhenLoaded asks a server whose database another process loads.
func TestServe_ReadyWhenLoaded(t *testing.T) {
	db := emptyDB(t)
	server := start(t, "serve", "--db", db)
	s, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	apply := func(ctx context.Context) error {
		_, err := s.Apply(ctx, generate().blocks[:1])
		return err
	}
	for _, step := range []struct {
		do     func(context.Context) error
		status int
	}{
		{s.Ping, http.StatusServiceUnavailable},
		{s.BeginLoad, http.StatusServiceUnavailable},
		{apply, http.StatusServiceUnavailable},
		{s.FinishLoad, http.StatusOK},
	} {
		if err := step.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := server.send(t, http.MethodGet, "/readyz", ""); got.status != step.status {
			t.Errorf("status %d, want %d: %s", got.status, step.status, got.body)
		}
	}
}

func TestServe_Metrics(t *testing.T) {
	s := serve(t, importChainA(t))
	s.get(t, "{ mints(first: 1) { totalItems } }", "")
	s.ask(t, "{ mints(first: 5000) { totalItems } }", "")
	s.ask(t, "{ prices }", "")
	s.send(t, http.MethodGet, "/v1/block/x/nft/mints", "")
	got := s.send(t, http.MethodGet, "/metrics", "")
	if got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	for _, line := range []string{
		`mintburn_records{kind="mint"} 1080`, `mintburn_records{kind="burn"} 235`, `mintburn_rejected_logs 10`,
		`mintburn_indexed_blocks 361`, `mintburn_verified_blocks 361`, `mintburn_head_block 360`,
		`mintburn_http_requests_total{route="graphql",status="200"} 3`, `mintburn_http_requests_total{route="rest",status="400"} 1`,
		`mintburn_http_request_seconds_count{route="graphql"} 3`,
		`mintburn_errors_total{code="BAD_USER_INPUT"} 2`, `mintburn_errors_total{code="GRAPHQL_VALIDATION_FAILED"} 1`,
	} {
		if !strings.Contains(got.body, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if !regexp.MustCompile(`(?m)^mintburn_lag_seconds [1-9]`).MatchString(got.body) {
		t.Error("no lag")
	}
	empty := start(t, "serve", "--db", emptyDB(t))
	if got := empty.send(t, http.MethodGet, "/metrics", ""); got.status != http.StatusOK || strings.Contains(got.body, "mintburn_head_block") {
		t.Errorf("an empty database: status %d: %.300s", got.status, got.body)
	}
}

// TestServe_MetricsWithoutDatabase: a scrape goes on when the database fails, and
// tells nothing of why.
func TestServe_MetricsWithoutDatabase(t *testing.T) {
	db := importChainA(t)
	s := serve(t, db)
	if got := s.send(t, http.MethodGet, "/metrics", ""); !strings.Contains(got.body, "\nmintburn_database_up 1\n") {
		t.Errorf("no database_up: %.300s", got.body)
	}
	file, err := sql.Open("sqlite3", db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Exec("ALTER TABLE coverage RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.send(t, http.MethodGet, "/metrics", "")
	if got.status != http.StatusOK || !strings.Contains(got.body, "\nmintburn_database_up 0\n") ||
		!strings.Contains(got.body, "\nmintburn_http_request_seconds_count") || strings.Contains(got.body, "coverage") {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}
