package store

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
)

// exec carries out a statement, whose parameters are question marks in either
// database, and returns the number of rows that it changed.
func (w *writer) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := w.tx.ExecContext(ctx, w.statement(text, args), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// query carries out a statement as exec does and calls f for each row, with
// what reads it.
func (w *writer) query(ctx context.Context, f func(scan func(...any) error) error, text string, args ...any) error {
	rows, err := w.tx.QueryContext(ctx, w.statement(text, args), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// statement writes the parameters of a statement as its database wants them.
func (w *writer) statement(text string, args []any) string {
	if w.store.dialect == dialect.Postgres {
		var b strings.Builder
		for i, part := range strings.Split(text, "?") {
			if i > 0 {
				b.WriteString("$" + strconv.Itoa(i))
			}
			b.WriteString(part)
		}
		text = b.String()
	}
	w.store.sent(text, args)
	return text
}
