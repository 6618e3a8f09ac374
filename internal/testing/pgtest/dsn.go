package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// shared is the server of the test binary, which all of its tests use.
var shared struct {
	// mu guards the fields below.
	mu      sync.Mutex
	started bool
	server  *server
	err     error
	// databases is the number of created databases.
	databases int
	// bouncer is the port of the pgbouncer in front of it, 0 if there is none.
	bouncer int
}

// DSN returns a postgres:// URL of a new, empty database. The first call starts the
// server, which ends with the test binary. If PostgreSQL is not installed, the test is
// skipped, or fails if MINTBURN_REQUIRE_ALL is set. If MINTBURN_POOLED is set, DSN is
// [Pooled].
func DSN(t testing.TB) string {
	t.Helper()
	return route(t, Direct(t))
}

// Direct is [DSN] without a pooler, even if MINTBURN_POOLED is set.
func Direct(t testing.TB) string {
	t.Helper()
	name := create(t, empty)
	return shared.server.dsn(name)
}

// empty is PostgreSQL's default template, an empty database.
const empty = "template1"

// filled is the database that [Copy] copies.
var filled struct {
	mu   sync.Mutex
	name string
}

// Copy is [DSN] of a copy of a database that the first call in the process fills. All
// calls must pass an equivalent fill, which must close its connections.
func Copy(t testing.TB, fill func(dsn string) error) string {
	t.Helper()
	filled.mu.Lock()
	defer filled.mu.Unlock()
	if filled.name == "" {
		name := create(t, empty)
		if err := fill(shared.server.dsn(name)); err != nil {
			t.Fatalf("filling a database: %v", err)
		}
		filled.name = name
	}
	name := create(t, filled.name)
	return route(t, shared.server.dsn(name))
}

// create creates a database on the shared server, as a copy of template.
func create(t testing.TB, template string) (name string) {
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
	name = fmt.Sprintf("test%d", shared.databases)
	if err := shared.server.create(t.Context(), name, template); err != nil {
		t.Fatalf("creating database %s: %v", name, err)
	}
	return name
}

// create creates a database as a copy of template.
func (s *server) create(ctx context.Context, name, template string) error {
	return s.execute(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// execute executes a statement in the database postgres.
func (s *server) execute(ctx context.Context, text string) error {
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, text)
	return errors.Join(err, db.Close())
}
