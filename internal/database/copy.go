package database

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyRows writes rows with PostgreSQL's COPY. values holds the rows one after the other.
func (t *Tx) copyRows(ctx context.Context, table string, columns []string, values []any) error {
	return t.conn.Raw(func(conn any) error {
		_, err := conn.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, &copiedRows{values: values, columns: len(columns)})
		return err
	})
}

// copiedRows feeds rows to COPY.
type copiedRows struct {
	// values holds the current row and all later ones.
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
