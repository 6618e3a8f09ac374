package database

import (
	"context"
	"database/sql"
)

// Query runs a statement on the driver of a connection and calls read with each row. It
// stops at the first error.
func Query(ctx context.Context, conn *sql.Conn, text string, args []any, read func(*Row) error) error {
	return new(call).query(ctx, conn, Statement{Text: text, Args: args, Read: read})
}
