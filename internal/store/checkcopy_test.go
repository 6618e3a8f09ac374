package store_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// copyOf copies a database, which must not be open.
func copyOf(t *testing.T, dsn string) string {
	t.Helper()
	if !isPostgres(dsn) {
		path := filepath.Join(t.TempDir(), "copy.db")
		execute(t, dsn, "VACUUM INTO '"+path+"'")
		return path
	}
	to, err := url.Parse(dsn)
	expect.NoError(t, err)
	to.Path = "/postgres"
	name := fmt.Sprintf("copy%d", rand.Uint64())
	execute(t, to.String(),
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+databaseName(t, dsn)+"'",
		"CREATE DATABASE "+name+" TEMPLATE "+databaseName(t, dsn),
	)
	to.Path = "/" + name
	return to.String()
}

func databaseName(t *testing.T, dsn string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	expect.NoError(t, err)
	return strings.TrimPrefix(address.Path, "/")
}

// makeDamage damages a database.
func makeDamage(t *testing.T, dsn string, p damage) {
	t.Helper()
	change := p.sqlite
	if isPostgres(dsn) {
		if change = strings.ReplaceAll(change, "x'", `'\x`); p.postgres != "" {
			change = p.postgres
		}
	}
	for one := range strings.SplitSeq(change, "; ") {
		result, err := raw(t, dsn).ExecContext(t.Context(), one)
		expect.NoError(t, err)
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s changed %d rows (%v)", one, n, err)
		}
	}
}

func contains(want string) func(string) bool {
	return func(line string) bool { return strings.Contains(line, want) }
}
