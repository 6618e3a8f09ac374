package hand

import (
	"context"
	"database/sql"
	"iter"
)

// Record is a record and its primary key.
type Record struct {
	Position int64
	Transfer
}

// Records returns all mints, or all burns, in chain order.
func (s *Server) Records(ctx context.Context, minted bool) iter.Seq2[*Record, error] {
	from := fromBurns
	if minted {
		from = fromMints
	}
	return all(ctx, s.db, from+joins+"ORDER BY t.id", func(rows *sql.Rows) (r *Record, err error) {
		r = new(Record)
		r.Position, err = scan(rows, &r.Transfer, minted)
		return r, err
	})
}

// Tokens returns all documents in the order of collections and token ids.
func (s *Server) Tokens(ctx context.Context) iter.Seq2[*Token, error] {
	return all(ctx, s.db, selectTokens+"ORDER BY t.contract_id, t.token_id", func(rows *sql.Rows) (*Token, error) {
		return s.scanToken(ctx, rows)
	})
}

// all returns each row of a statement, up to the first error.
func all[T any](ctx context.Context, db *sql.DB, statement string, scan func(*sql.Rows) (*T, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		rows, err := db.QueryContext(ctx, statement)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if item, err := scan(rows); !yield(item, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}
