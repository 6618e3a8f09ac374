package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mattn/go-sqlite3"
)

// Query runs a statement on the driver of a connection and calls read for each
// row. It ends at the first error.
func Query(ctx context.Context, conn *sql.Conn, text string, args []any, read func(*Row) error) error {
	return conn.Raw(func(conn any) error {
		named, err := parameters(conn, args)
		if err != nil {
			return err
		}
		rows, err := conn.(driver.QueryerContext).QueryContext(ctx, text, named)
		if err != nil {
			return err
		}
		r := Row{values: make([]driver.Value, len(rows.Columns()))}
		_, lite := rows.(*sqlite3.SQLiteRows)
		for err == nil {
			r.next = 0
			values := r.values
			if r.SkipValues && lite {
				// It steps to the row and makes no values.
				values = nil
			}
			if err = rows.Next(values); err == nil {
				err = read(&r)
			}
		}
		closed := rows.Close()
		if errors.Is(err, io.EOF) {
			return closed
		}
		return err
	})
}

// parameters converts values to those that a driver takes.
func parameters(conn any, args []any) ([]driver.NamedValue, error) {
	checker, own := conn.(driver.NamedValueChecker)
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
		var err error
		if own {
			err = checker.CheckNamedValue(&named[i])
		} else {
			named[i].Value, err = driver.DefaultParameterConverter.ConvertValue(a)
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
	}
	return named, nil
}

// Execute runs a statement that begins or ends a transaction. If it fails, the
// connection is closed.
func Execute(ctx context.Context, conn *sql.Conn, text string) error {
	var failed error
	err := conn.Raw(func(conn any) error {
		if _, failed = conn.(driver.ExecerContext).ExecContext(ctx, text, nil); failed != nil {
			return driver.ErrBadConn
		}
		return nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// QueryTx is [Query] within a transaction, by database/sql, which copies each
// value: for statements that are not frequent.
func QueryTx(ctx context.Context, tx *sql.Tx, text string, args []any, read func(*Row) error) error {
	rows, err := tx.QueryContext(ctx, text, args...)
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

// maxStatements bounds the texts in a cache: keys have the page size, which
// clients choose.
const maxStatements = 1_000

// Statements caches the texts of statements by key: everything that a text
// depends on. Arguments are no part of it. It is safe for concurrent use; the
// zero value is an empty cache.
type Statements[K comparable] struct {
	mu    sync.RWMutex // guards known
	known map[K]string
}

// Get returns the text of a key. It calls build when the text is not cached.
func (s *Statements[K]) Get(key K, build func() string) string {
	s.mu.RLock()
	text, ok := s.known[key]
	s.mu.RUnlock()
	if ok {
		return text
	}
	text = build()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxStatements {
		s.known = map[K]string{}
	}
	s.known[key] = text
	return text
}
