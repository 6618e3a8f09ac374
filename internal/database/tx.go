package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/mattn/go-sqlite3"
)

// Tx is a writing transaction. One goroutine at a time may use it.
type Tx struct {
	db       *DB
	tx       *sql.Tx
	onCommit []func()
}

// Write runs f in a transaction and commits it, or rolls it back if f fails or
// panics. Writing transactions wait for each other, those of other processes
// included. The context of f does not end: a transaction takes a few seconds at
// most and is worth finishing, and the driver pays for a context that can end
// with a goroutine a statement.
func (db *DB) Write(ctx context.Context, f func(context.Context, *Tx) error) (err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := db.begin(ctx)
	if err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	t, committed := &Tx{db: db, tx: tx}, false
	defer func() {
		// After a panic too: otherwise the connection would stay taken.
		if !committed {
			if failed := tx.Rollback(); !errors.Is(failed, sql.ErrTxDone) {
				err = errors.Join(err, failed)
			}
		}
	}()
	if db.dialect == dialect.Postgres {
		// Any constant will do: it only has to be the same for all writers.
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(7223372036854775)"); err != nil {
			return fmt.Errorf("waiting for other writers: %w", err)
		}
	}
	if err := f(ctx, t); err != nil {
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

// begin begins a transaction as soon as no other process writes.
func (db *DB) begin(ctx context.Context) (tx *sql.Tx, err error) {
	for range lockWaits {
		tx, err = db.writer.BeginTx(context.WithoutCancel(ctx), nil)
		if !isSQLite(err, sqlite3.ErrBusy) || ctx.Err() != nil {
			break
		}
	}
	return tx, err
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
