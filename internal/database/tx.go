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
	// stored is what comes before the names of hidden tables, see [Shadow].
	stored string
}

// Write runs f in a transaction and commits it, or rolls it back if f fails or
// panics. Writing transactions are serialised, also between processes. The context of f
// is never cancelled: a transaction takes a few seconds at most and is worth finishing, and
// a cancellable context costs the driver a goroutine per statement.
func (db *DB) Write(ctx context.Context, f func(context.Context, *Tx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	settings := beginWriting + idleLimit
	if db.opts.Patient {
		settings = beginWriting + patientLimit
	}
	return db.transact(ctx, func(conn *sql.Conn) (*sql.Tx, error) {
		defer db.await()()
		for {
			tx, err := db.begin(ctx, conn, settings)
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

// WriteBrief is Write for a few rows that few transactions change. On PostgreSQL it does not
// wait for all writers, only up to a second for each lock, and each statement may take three
// seconds.
func (db *DB) WriteBrief(ctx context.Context, f func(context.Context, *Tx) error) error {
	return db.transact(ctx, func(conn *sql.Conn) (*sql.Tx, error) { return db.begin(ctx, conn, beginBrief) }, f)
}

// transact runs f in the transaction that begin returns and commits it. It rolls back if
// begin returns both a transaction and an error, or if f fails or panics.
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
			// Another server may be the primary by now. A new connection will find it.
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
		// Roll back after a panic too, to free the connection.
		if tx != nil && !committed {
			// SQLite has already rolled back if it can't write.
			if failed := tx.Rollback(); !errors.Is(failed, sql.ErrTxDone) && !IsLost(failed) && !IsLost(err) {
				err = errors.Join(err, failed)
			}
		}
	}()
	if err == nil {
		// Data written to a deleted file would be lost when this process ends.
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

// lockWaits is how often a SQLite writer waits lockWait for another one. The total is longer
// than any transaction, even one that builds an index.
const lockWaits = 60

// begin begins a transaction: on SQLite as soon as no other process writes, on PostgreSQL
// with these settings.
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

// Allow changes the time limit for later statements of the transaction on PostgreSQL.
func (t *Tx) Allow(ctx context.Context, limit time.Duration) error {
	if t.db.dialect != dialect.Postgres {
		return nil
	}
	_, err := t.tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", limit.Milliseconds()))
	return err
}

// OnCommit registers f to be called after the commit. In [DB.Write] that is before the
// next writing transaction of this process begins.
func (t *Tx) OnCommit(f func()) { t.onCommit = append(t.onCommit, f) }

// Dialect returns [DB.Dialect].
func (t *Tx) Dialect() string { return t.db.dialect }

// Builder returns ent's statement builder for the database.
func (t *Tx) Builder() *entsql.DialectBuilder { return t.db.Builder() }

// Exec runs a statement from ent's builder and returns the number of changed rows.
func (t *Tx) Exec(ctx context.Context, statement entsql.Querier) (int64, error) {
	text, args := statement.Query()
	t.db.sent(text, args)
	result, err := t.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query runs a statement from ent's builder and calls read with each row. Unlike the
// method of [Snapshot] it uses database/sql, which copies each value.
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
	to := make([]any, len(columns))
	for i := range to {
		to[i] = (*any)(&r.values[i])
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		r.next = 0
		if err := read(&r); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// Driver returns an ent driver that runs in the transaction.
func (t *Tx) Driver() dialect.Driver { return txDriver{entsql.Conn{ExecQuerier: t.tx}, t.db} }

// txDriver is an ent driver that runs in a transaction, which [DB.Write] ends.
type txDriver struct {
	entsql.Conn
	db *DB
}

// Dialect implements [dialect.Driver].
func (w txDriver) Dialect() string { return w.db.dialect }

// Query implements [dialect.Driver].
func (w txDriver) Query(ctx context.Context, text string, args, to any) error {
	if values, ok := args.([]any); ok && strings.HasPrefix(text, "SELECT") {
		w.db.sent(text, values)
	}
	return w.Conn.Query(ctx, text, args, to)
}

// Close implements [dialect.Driver].
func (w txDriver) Close() error { return nil }

// Tx implements [dialect.Driver]: ent's own transactions are part of this one.
func (w txDriver) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(w), nil }
