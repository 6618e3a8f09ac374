package command_test

import (
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestServe_DatabaseClosed drops the database below a server, takes the login from its role, or
// forbids connections: it answers UNAVAILABLE until that is undone, and its log says why.
func TestServe_DatabaseClosed(t *testing.T) {
	skipShort(t, "runs on PostgreSQL")
	t.Parallel()
	const role = "reader"
	for name, c := range map[string]struct {
		refuse, undo []string
		why          string
	}{
		"dropped":        {[]string{"DROP DATABASE $ WITH (FORCE)"}, nil, "does not exist"},
		"no login":       {[]string{"ALTER ROLE reader NOLOGIN"}, []string{"ALTER ROLE reader LOGIN"}, "not permitted to log in"},
		"no connections": {[]string{"ALTER DATABASE $ ALLOW_CONNECTIONS false"}, []string{"ALTER DATABASE $ ALLOW_CONNECTIONS true"}, "not currently accepting connections"},
		"no permission":  {[]string{"REVOKE CONNECT ON DATABASE $ FROM public"}, []string{"GRANT CONNECT ON DATABASE $ TO public"}, "permission denied for database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := pgtest.NewServer(t)
			importInto(t, server.DSN, strings.NewReader(""), "-")
			u, err := url.Parse(server.DSN)
			expect.NoError(t, err)
			database, reader := strings.TrimPrefix(u.Path, "/"), *u
			u.Path, reader.User = "/postgres", url.User(role)
			admin, err := sql.Open("pgx", u.String())
			expect.NoError(t, err)
			defer admin.Close()
			run := func(statements ...string) {
				for _, statement := range statements {
					_, err := admin.ExecContext(t.Context(), strings.ReplaceAll(statement, "$", database))
					expect.NoError(t, err)
				}
			}
			run("CREATE ROLE " + role + " LOGIN")
			inside, err := sql.Open("pgx", server.DSN)
			expect.NoError(t, err)
			_, err = inside.ExecContext(t.Context(), "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
			expect.NoError(t, err)
			expect.NoError(t, inside.Close())
			s := start(t, "serve", "--no-migrate", "--db", reader.String())
			s.Get(t, "{ chain { head { number } } }", "")
			run(c.refuse...)
			run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'")
			for range 2 {
				got := s.Send(t, http.MethodPost, "/graphql", `{"query":"{ chain { head { number } } }"}`)
				if got.OnlyError(t, "UNAVAILABLE"); got.Status != http.StatusServiceUnavailable {
					t.Errorf("status %d: %s", got.Status, got.Body)
				}
			}
			if got := s.Send(t, http.MethodGet, "/v1/mints", ""); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, `"code":"UNAVAILABLE"`) {
				t.Errorf("REST: status %d: %s", got.Status, got.Body)
			}
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusServiceUnavailable || !strings.Contains(s.output.String(), c.why) {
				t.Errorf("ready: status %d: %s; the log has no %q: %s", got.Status, got.Body, c.why, s.output)
			}
			if run(c.undo...); c.undo != nil {
				until(t, func() bool { return len(s.Ask(t, "{ chain { head { number } } }", "").Errors) == 0 })
			}
		})
	}
}
