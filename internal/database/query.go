package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

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
