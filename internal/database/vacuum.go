package database

import (
	"context"
	"errors"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgconn"
)

// Vacuum notes in tables of PostgreSQL which of their pages all transactions see, so that
// indexes alone answer what they can. It does nothing on SQLite. Tables that are locked are
// left to autovacuum, as are all when the server's limit of time for a statement passes:
// VACUUM can't run in a transaction, which could set another. Rows whose commit is not
// flushed yet are not seen by all.
func (db *DB) Vacuum(ctx context.Context, tables ...string) error {
	if db.dialect != dialect.Postgres {
		return nil
	}
	err := db.Exec(ctx, "VACUUM (SKIP_LOCKED) "+strings.Join(tables, ", "))
	if refused := new(pgconn.PgError); errors.As(err, &refused) && refused.Code == queryCanceled && ctx.Err() == nil {
		return nil
	}
	return Wrap(err, "vacuuming")
}

// queryCanceled is PostgreSQL's code for a statement that took longer than it may, or that
// was ended by a client.
const queryCanceled = "57014"
