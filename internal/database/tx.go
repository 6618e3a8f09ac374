package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// Tx is a writing transaction. One goroutine at a time may use it.
type Tx struct {
	db *DB
	// conn is nil in a migration.
	conn     *sql.Conn
	tx       *sql.Tx
	onCommit []func()
}

// Write runs f in a transaction and commits it, or rolls it back if f fails or
// panics. Writing transactions wait for each other, those of other processes
// included. The context of f does not end: a transaction takes a few seconds at most
// and is worth finishing, and the driver pays for a context that can end with a
// goroutine a statement.
func (db *DB) Write(ctx context.Context, f func(context.Context, *Tx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.transact(ctx, func(conn *sql.Conn) (*sql.Tx, error) {
		defer db.await()()
		for {
			tx, err := db.begin(ctx, conn, beginWriting)
			if err == nil && db.dialect == dialect.Postgres {
				_, err = tx.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = '30s'", writers))
			}
			if !IsLocked(err) {
				return tx, Wrap(err, "waiting for other writers")
			}
			if err := tx.Rollback(); err != nil {
				return nil, err
			}
		}
	}, f)
}

// WriteBrief is Write for a few rows that few transactions change: on PostgreSQL it
// waits only for those, for a second at most, and each of its statements may take
// three.
func (db *DB) WriteBrief(ctx context.Context, f func(context.Context, *Tx) error) error {
	return db.transact(ctx, func(conn *sql.Conn) (*sql.Tx, error) { return db.begin(ctx, conn, beginBrief) }, f)
}

// transact runs f in the transaction that begin returns, which ends it if it fails.
func (db *DB) transact(ctx context.Context, begin func(*sql.Conn) (*sql.Tx, error), f func(context.Context, *Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	defer func() {
		if isDemoted(err) {
			// Another server may be the primary by now: the next connection looks for it.
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		if failed := conn.Close(); !errors.Is(failed, sql.ErrConnDone) {
			err = errors.Join(err, failed)
		}
	}()
	tx, err := begin(conn)
	committed := false
	defer func() {
		err = db.file.named(err)
		// After a panic too: otherwise the connection would stay taken.
		if tx != nil && !committed {
			// SQLite rolls back by itself if it can't write.
			if failed := tx.Rollback(); !errors.Is(failed, sql.ErrTxDone) && !IsLost(failed) && !IsLost(err) {
				err = errors.Join(err, failed)
			}
		}
	}()
	if err == nil {
		// What is written to a file without a name would be gone with this process.
		err = db.CheckFile()
	}
	if err != nil {
		return err
	}
	t := &Tx{db: db, conn: conn, tx: tx}
	if err := f(context.WithoutCancel(ctx), t); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	committed = true
	for _, done := range t.onCommit {
		done()
	}
	return nil
}

// lockWaits is how often a writer of SQLite waits for another one: together longer than
// any transaction, of which those that build an index are the longest.
const lockWaits = 60

// begin begins a transaction: that of SQLite as soon as no other process writes, that
// of PostgreSQL with these settings.
func (db *DB) begin(ctx context.Context, conn *sql.Conn, settings string) (tx *sql.Tx, err error) {
	unending := context.WithoutCancel(ctx)
	for range lockWaits {
		tx, err = conn.BeginTx(unending, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if !isBusy(err) || ctx.Err() != nil {
			break
		}
	}
	if err == nil && db.dialect == dialect.Postgres {
		_, err = tx.ExecContext(unending, settings)
	}
	return tx, Wrap(err, "beginning to write")
}

// Allow gives the statements of the transaction that follow another limit of time on
// PostgreSQL.
func (t *Tx) Allow(ctx context.Context, limit time.Duration) error {
	if t.db.dialect != dialect.Postgres {
		return nil
	}
	_, err := t.tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", limit.Milliseconds()))
	return err
}

// OnCommit has f called after the commit, before the next writing transaction of
// this process begins.
func (t *Tx) OnCommit(f func()) { t.onCommit = append(t.onCommit, f) }

// Dialect is [DB.Dialect].
func (t *Tx) Dialect() string { return t.db.dialect }

// Builder returns ent's builder of statements for the database.
func (t *Tx) Builder() *entsql.DialectBuilder { return t.db.Builder() }

// Exec carries out a statement of ent's builder and returns the number of rows
// that it changed.
func (t *Tx) Exec(ctx context.Context, statement entsql.Querier) (int64, error) {
	text, args := statement.Query()
	t.db.sent(text, args)
	result, err := t.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query runs a statement of ent's builder and calls read for each row. Unlike
// [Query] it goes through database/sql, which copies each value.
func (t *Tx) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	t.db.sent(text, args)
	rows, err := t.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	r := Row{values: make([]driver.Value, len(columns))}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range to {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		r.next = 0
		for i, v := range values {
			r.values[i] = v
		}
		if err := read(&r); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// Driver returns ent's driver within the transaction.
func (t *Tx) Driver() dialect.Driver { return writing{entsql.Conn{ExecQuerier: t.tx}, t.db} }

// writing is ent's driver within a transaction that [DB.Write] ends.
type writing struct {
	entsql.Conn
	db *DB
}

// Dialect implements [dialect.Driver].
func (w writing) Dialect() string { return w.db.dialect }

// Query implements [dialect.Driver].
func (w writing) Query(ctx context.Context, text string, args, to any) error {
	if values, ok := args.([]any); ok && strings.HasPrefix(text, "SELECT") {
		w.db.sent(text, values)
	}
	return w.Conn.Query(ctx, text, args, to)
}

// Close implements [dialect.Driver].
func (w writing) Close() error { return nil }

// Tx implements [dialect.Driver]: ent's own transactions are part of this one.
func (w writing) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(w), nil }
