package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// ErrNoShadow is the error of [Shadow] for a PostgreSQL database without temporary tables:
// on a standby, and for a role without the privilege TEMPORARY.
var ErrNoShadow = errors.New("PostgreSQL allows no temporary tables here: want the primary, and a role with the privilege TEMPORARY on the database")

// beginShadow are the settings of a shadow on PostgreSQL. It may be read-only by default.
const beginShadow = "SET TRANSACTION READ WRITE; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5min'; SET LOCAL lock_timeout = '30s'; SET LOCAL jit = off"

// Shadow runs f in a transaction in which an empty temporary table hides each of these tables:
// what writes the tables elsewhere writes those here. [Tx.Stored] names the hidden ones. The
// transaction reads one state of the database, keeps nothing, and takes no lock of writers. A
// file that is read-only suffices. Temporary tables lie in the folder SQLITE_TMPDIR, or in
// temp_tablespaces.
func Shadow(ctx context.Context, db *DB, tables []string, f func(context.Context, *Tx) error) (err error) {
	pool := db.reader
	if pool == nil {
		pool = db.writer
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	defer func() {
		if failed := conn.Close(); !errors.Is(failed, sql.ErrConnDone) {
			err = errors.Join(err, failed)
		}
	}()
	// Both databases prepare a statement again if its tables have changed, PostgreSQL because the
	// schema of temporary tables enters the search path and leaves it with the transaction.
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer func() {
		if failed := tx.Rollback(); !errors.Is(failed, sql.ErrTxDone) && !IsLost(failed) && !IsLost(err) {
			err = errors.Join(err, failed)
		}
		err = db.file.named(err)
	}()
	t := &Tx{db: db, conn: conn, tx: tx}
	if err := t.hide(ctx, tables); err != nil {
		// Without the privilege, and on a standby.
		if code := codeOf(err); code == "42501" || code == "0A000" {
			return fmt.Errorf("%w: %w", ErrNoShadow, err)
		}
		return Wrap(err, "creating temporary tables")
	}
	return f(ctx, t)
}

// Stored returns the name of a table that a temporary one hides.
func (t *Tx) Stored(table string) string { return t.stored + table }

// hide creates the temporary tables.
func (t *Tx) hide(ctx context.Context, tables []string) error {
	if t.db.dialect == dialect.Postgres {
		return t.hideInPostgres(ctx, tables)
	}
	t.stored = "main."
	for _, table := range tables {
		var statements []string
		objects := t.Builder().Select("sql").From(entsql.Table("main.sqlite_schema").Unquote()).
			Where(entsql.And(entsql.EQ("tbl_name", table), entsql.Or(entsql.HasPrefix("sql", "CREATE TABLE "), entsql.HasPrefix("sql", "CREATE UNIQUE INDEX ")))).OrderBy(entsql.Desc("type"))
		err := t.Query(ctx, objects, func(row *Row) error {
			statements = append(statements, inTemp.ReplaceAllString(row.Text(), "${1}temp."))
			return row.Err()
		})
		if err != nil {
			return err
		}
		for _, text := range statements {
			if _, err := t.Exec(ctx, entsql.Raw(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTemp matches the text before the name of an object of SQLite.
var inTemp = regexp.MustCompile(`^(CREATE (?:TABLE|UNIQUE INDEX) )`)

func (t *Tx) hideInPostgres(ctx context.Context, tables []string) error {
	if _, err := t.Exec(ctx, entsql.Raw(beginShadow)); err != nil {
		return err
	}
	err := t.Query(ctx, entsql.Raw("SELECT quote_ident(current_schema()) || '.'"), func(row *Row) error { return row.Values(&t.stored) })
	if err != nil {
		return err
	}
	for _, table := range tables {
		// Its identities get sequences of their own.
		_, err := t.Exec(ctx, entsql.Raw(fmt.Sprintf("CREATE TEMP TABLE %s (LIKE %s INCLUDING ALL) ON COMMIT DROP", table, t.Stored(table))))
		if err != nil {
			return err
		}
	}
	return nil
}
