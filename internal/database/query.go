package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Statement is a statement with its arguments. Read is called with each row.
type Statement struct {
	Text string
	Args []any
	Read func(*Row) error
	// Last promises that the reader reads nothing afterwards, see [Snapshot.Finish].
	Last bool
	// Alone promises that the reader reads nothing afterwards, or that it starts over without
	// Alone if a later read fails with [ErrNotAlone].
	Alone bool
	// columns, if not nil, receives the column names before the first row.
	columns *[]string
}

// call holds the buffers of a query, its parameters and the values of a row, for the next one.
// Without [DB.calls] an answer from SQLite allocates up to 15 % more bytes.
type call struct {
	named []driver.NamedValue
	row   Row
}

// query runs a statement on a connection to SQLite. It stops at the first error.
func (c *call) query(ctx context.Context, conn *sql.Conn, one Statement) error {
	return conn.Raw(func(conn any) error {
		rows, err := c.send(ctx, conn, one)
		if err != nil {
			return err
		}
		columns := rows.Columns()
		if one.columns != nil {
			*one.columns = columns
		}
		c.row = Row{values: slices.Grow(c.row.values[:0], len(columns))[:len(columns)]}
		for err == nil {
			c.row.next = 0
			if err = rows.Next(c.row.values); err == nil {
				err = one.Read(&c.row)
			}
		}
		closed := rows.Close()
		if errors.Is(err, io.EOF) {
			return closed
		}
		return err
	})
}

// hold runs a statement with one value on a connection to SQLite and leaves it open. Until it
// is closed, further statements of the connection read the same state of the database.
func (c *call) hold(conn *sql.Conn, one Statement) (end func() error, err error) {
	err = conn.Raw(func(conn any) error {
		// A cancellable context would cost the driver a goroutine.
		rows, err := c.send(context.Background(), conn, one)
		if err != nil {
			return err
		}
		c.row = Row{values: slices.Grow(c.row.values[:0], 1)[:1]}
		if err = rows.Next(c.row.values); err == nil && one.Read != nil {
			err = one.Read(&c.row)
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		end = rows.Close
		return nil
	})
	return end, err
}

// clear forgets all values.
func (c *call) clear() {
	clear(c.named[:cap(c.named)])
	c.row = Row{values: c.row.values[:cap(c.row.values)]}
	clear(c.row.values)
}

// send converts the arguments of a statement and sends it to the driver.
func (c *call) send(ctx context.Context, conn any, one Statement) (driver.Rows, error) {
	c.named = slices.Grow(c.named[:0], len(one.Args))[:len(one.Args)]
	for i, a := range one.Args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		c.named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return conn.(driver.QueryerContext).QueryContext(ctx, one.Text, c.named)
}
