package hand

import (
	"context"
	"database/sql"
	"iter"

	"mintburn/bench/workload"
)

// Records returns all mints, or all burns, in chain order.
func (s *Server) Records(ctx context.Context, minted bool) iter.Seq2[*Transfer, error] {
	from := fromBurns
	if minted {
		from = fromMints
	}
	return all(ctx, s.db, from+joins+"ORDER BY t.id", func(rows *sql.Rows) (*Transfer, error) {
		t := new(Transfer)
		return t, t.scan(rows, minted)
	})
}

// Tokens returns all documents in the order of collections and token ids.
func (s *Server) Tokens(ctx context.Context) iter.Seq2[*Token, error] {
	return all(ctx, s.db, selectTokens+"ORDER BY t.contract_id, t.token_id", func(rows *sql.Rows) (*Token, error) {
		return s.scanToken(ctx, rows)
	})
}

// all yields the rows of a statement, up to the first error.
func all[T any](ctx context.Context, db *sql.DB, statement string, scan func(*sql.Rows) (*T, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for rows, err := range workload.Each(db.QueryContext(ctx, statement)) { //nolint:rowserrcheck // Each does.
			var item *T
			if err == nil {
				item, err = scan(rows)
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}
