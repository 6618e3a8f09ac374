package database

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyRows writes rows, whose values follow each other, with PostgreSQL's COPY.
func (t *Tx) copyRows(ctx context.Context, table string, columns []string, values []any) error {
	return t.conn.Raw(func(conn any) error {
		_, err := conn.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, &copiedRows{values: values, columns: len(columns)})
		return err
	})
}

// copiedRows are rows for COPY.
type copiedRows struct {
	// values are those of the current row and of all after it.
	values  []any
	columns int
	begun   bool
}

var _ pgx.CopyFromSource = (*copiedRows)(nil)

// Next implements [pgx.CopyFromSource].
func (c *copiedRows) Next() bool {
	if c.begun {
		c.values = c.values[c.columns:]
	}
	c.begun = true
	return len(c.values) > 0
}

// Values implements [pgx.CopyFromSource].
func (c *copiedRows) Values() ([]any, error) { return c.values[:c.columns], nil }

// Err implements [pgx.CopyFromSource].
func (*copiedRows) Err() error { return nil }
