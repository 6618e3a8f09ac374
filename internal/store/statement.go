package store

import (
	"context"
	"errors"

	entsql "entgo.io/ent/dialect/sql"
)

// exec carries out a statement of ent's builder and returns the number of rows
// that it changed.
func (w *writer) exec(ctx context.Context, statement entsql.Querier) (int64, error) {
	text, args := statement.Query()
	w.store.sent(text, args)
	result, err := w.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// query carries out a statement of ent's builder and calls f for each row, with
// what reads it.
func (w *writer) query(ctx context.Context, statement entsql.Querier, f func(scan func(...any) error) error) error {
	text, args := statement.Query()
	w.store.sent(text, args)
	rows, err := w.tx.QueryContext(ctx, text, args...)
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
