package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"mintburn/internal/chaintest"
)

// shared is the server of the test binary, which all of its tests use.
var shared struct {
	// mu guards the rest.
	mu      sync.Mutex
	started bool
	server  *server
	err     error
	// databases is the number of created databases.
	databases int
	// bouncer is the port of a pgbouncer before it, 0 without one.
	bouncer int
}

// DSN returns a postgres:// URL of a new, empty database. The first call starts the
// server, which ends with the test binary. If PostgreSQL is not installed, the test is
// skipped, or fails when MINTBURN_REQUIRE_ALL is set. With MINTBURN_POOLED it is
// [Pooled].
func DSN(t testing.TB) string {
	t.Helper()
	if os.Getenv("MINTBURN_POOLED") != "" {
		return Pooled(t)
	}
	return Direct(t)
}

// Direct is [DSN] that never goes by way of a pooler.
func Direct(t testing.TB) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.started {
		shared.started = true
		shared.server, shared.err = start(t.Context())
	}
	if errors.Is(shared.err, errNotInstalled) {
		chaintest.Absent(t, shared.err.Error())
	}
	if shared.err != nil {
		t.Fatalf("starting PostgreSQL: %v", shared.err)
	}
	shared.databases++
	name := fmt.Sprintf("test%d", shared.databases)
	if err := shared.server.create(t.Context(), name); err != nil {
		t.Fatalf("creating database %s: %v", name, err)
	}
	return shared.server.dsn(name)
}

// create makes an empty database.
func (s *server) create(ctx context.Context, name string) error {
	return s.execute(ctx, "CREATE DATABASE "+name)
}

// execute runs a statement.
func (s *server) execute(ctx context.Context, text string) error {
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, text)
	return errors.Join(err, db.Close())
}
