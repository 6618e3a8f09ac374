package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the test binary's one server.
var shared struct {
	// mu guards the rest.
	mu      sync.Mutex
	started bool
	server  *server
	err     error
	// databases counts those that were made, to name the next.
	databases int
}

// DSN returns a postgres:// URL of a fresh, empty database, on a server that
// the first call starts and that ends with the test binary. Where no server is
// installed it skips the test, or fails it when MINTBURN_REQUIRE_ALL is set.
func DSN(t testing.TB) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.started {
		shared.started = true
		shared.server, shared.err = start(t.Context())
	}
	switch {
	case errors.Is(shared.err, errNotInstalled) && os.Getenv("MINTBURN_REQUIRE_ALL") == "":
		t.Skip(shared.err)
	case shared.err != nil:
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
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "CREATE DATABASE "+name)
	return errors.Join(err, db.Close())
}
