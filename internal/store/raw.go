package store

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/mattn/go-sqlite3"
)

// What a snapshot reads is taken from the driver as it gives it. database/sql
// starts a goroutine for each statement and converts each value by reflection,
// which for a page takes as long as the database does.

// rowReader reads the values of one row, each once and from the left. What
// they share memory with is overwritten by the next row. The first error stays.
type rowReader struct {
	values []driver.Value
	next   int
	err    error
	// counting says that of the rows that follow only their number matters:
	// their values need not be read.
	counting bool
}

func (r *rowReader) value() driver.Value {
	r.next++
	return r.values[r.next-1]
}

func (r *rowReader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d: %w", r.next, err)
	}
}

func (r *rowReader) wrong(v driver.Value, want string) {
	r.fail(fmt.Errorf("got %T, want %s", v, want))
}

func (r *rowReader) integer() int64 {
	v := r.value()
	n, ok := v.(int64)
	if !ok {
		r.wrong(v, "an integer")
	}
	return n
}

// unsigned reads an integer from 0 to most.
func (r *rowReader) unsigned(most uint64) uint64 {
	n := r.integer()
	if n < 0 || uint64(n) > most {
		r.fail(fmt.Errorf("got %d, want 0 to %d", n, most))
	}
	return uint64(n)
}

func (r *rowReader) bytes() []byte {
	v := r.value()
	b, ok := v.([]byte)
	if !ok {
		r.wrong(v, "bytes")
	}
	return b
}

func (r *rowReader) text() string {
	v := r.value()
	text, ok := v.(string)
	if !ok {
		r.wrong(v, "text")
	}
	return text
}

func (r *rowReader) bool() bool {
	switch v := r.value().(type) {
	case bool:
		return v
	case int64: // SQLite
		return v != 0
	default:
		r.wrong(v, "a boolean")
		return false
	}
}

// null passes over a null, and over nothing else.
func (r *rowReader) null() bool {
	if r.values[r.next] != nil {
		return false
	}
	r.next++
	return true
}

// scan reads a value by its type's own code.
func (r *rowReader) scan(to sql.Scanner) {
	if err := to.Scan(r.value()); err != nil {
		r.fail(err)
	}
}

// Scan reads the values of a row as [sql.Rows.Scan] does, but into no other
// types than those below.
func (r *rowReader) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("got %d columns, want %d", len(r.values), len(dest))
	}
	for _, to := range dest {
		switch to := to.(type) {
		case sql.Scanner:
			r.scan(to)
		case *int64:
			*to = r.integer()
		case *int:
			*to = int(r.integer())
		case *uint64:
			*to = r.unsigned(1<<63 - 1)
		case *uint32:
			*to = uint32(r.unsigned(1<<32 - 1))
		case *[]byte:
			if *to = nil; !r.null() {
				*to = bytes.Clone(r.bytes())
			}
		case *bool:
			*to = r.bool()
		case *string:
			*to = r.text()
		case **string:
			if *to = nil; !r.null() {
				text := r.text()
				*to = &text
			}
		default:
			return fmt.Errorf("internal error: no value is read into %T", to)
		}
	}
	return r.err
}

// rowsOf runs a statement on a connection and calls read for each row.
func rowsOf(ctx context.Context, conn *sql.Conn, text string, args []any, read func(*rowReader) error) error {
	return conn.Raw(func(conn any) error {
		named, err := parameters(conn, args)
		if err != nil {
			return err
		}
		rows, err := conn.(driver.QueryerContext).QueryContext(ctx, text, named)
		if err != nil {
			return err
		}
		r := rowReader{values: make([]driver.Value, len(rows.Columns()))}
		_, lite := rows.(*sqlite3.SQLiteRows)
		for err == nil {
			r.next = 0
			values := r.values
			if r.counting && lite {
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

// parameters makes values those that a driver takes.
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

// execute carries out the beginning or the end of a transaction. A connection on
// which that fails is closed.
func execute(ctx context.Context, conn *sql.Conn, text string) error {
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
