package database

import (
	"context"
	"strings"

	"entgo.io/ent/dialect"
)

// Vacuum updates the visibility maps of PostgreSQL tables, which index-only scans need. It
// does nothing on SQLite. It leaves locked tables to autovacuum, and also the remaining work
// when the server's statement_timeout passes: VACUUM can't run in a transaction, which could
// set another limit. Pages with rows whose commit is not flushed yet do not become visible.
func (db *DB) Vacuum(ctx context.Context, tables ...string) error {
	if db.dialect != dialect.Postgres {
		return nil
	}
	err := db.Exec(ctx, "VACUUM (SKIP_LOCKED) "+strings.Join(tables, ", "))
	if codeOf(err) == queryCanceled && ctx.Err() == nil {
		return nil
	}
	return Wrap(err, "vacuuming")
}
