package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/nft"
)

// addTries adds to documents how the tries to fetch them went, and to found the
// tokens of wanted without a document whose last try failed. It takes one
// statement for 10,000 tokens.
func (s *Snapshot) addTries(ctx context.Context, wanted pairs, found map[nft.TokenKey]*nft.TokenMetadata) error {
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.store.texts.get(shape{name: "tries", limit: len(part)}, func() entsql.Querier {
			t, c := s.builder().Table(resolution.Table), s.builder().Table(contract.Table)
			statement := s.builder().Select().From(t).Join(c).On(t.C(resolution.FieldContractID), c.C(contract.FieldID)).
				Where(part.in(t.C(resolution.FieldContractID), t.C(resolution.FieldTokenID)))
			return statement.Select(t.Columns(resolution.FieldTokenID, resolution.FieldShape, resolution.FieldState, resolution.FieldTurn,
				resolution.FieldAttempts, resolution.FieldURI, resolution.FieldError, resolution.FieldTriedAt)...).
				AppendSelect(c.C(contract.FieldAddress), c.C(contract.FieldShapes))
		})
		err := s.queryText(ctx, text, part.args(s.store.dialect), func(rows *rowReader) error {
			var row try
			if err := rows.Scan(&row.TokenID, &row.shape, (*string)(&row.state), &row.turn,
				&row.attempts, &row.uri, &row.failure, &row.triedAt, &row.Contract, &row.shapes); err != nil {
				return err
			}
			row.addTo(found)
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading how metadata was fetched: %w", err)
		}
	}
	return nil
}

// try is a row of the queue.
type try struct {
	nft.TokenKey
	shape, shapes int64
	state         resolution.State
	turn, triedAt sql.Null[int64]
	attempts      int
	uri, failure  sql.Null[string]
}

func (t *try) addTo(found map[nft.TokenKey]*nft.TokenMetadata) {
	m := found[t.TokenKey]
	if m == nil {
		if !t.failure.Valid {
			return
		}
		m = &nft.TokenMetadata{TokenKey: t.TokenKey, Type: typeOf(t.shapes, t.shape == shape1155), URI: t.uri.V, FetchedAt: uint64(t.triedAt.V)}
		found[t.TokenKey] = m
	}
	m.Error, m.Attempts = t.failure.V, t.attempts
	switch {
	case t.failure.Valid:
		m.State = nft.Failed
	case t.state != resolution.StateDone:
		m.State = nft.Pending
	}
	// The turn of one that a worker has is the end of its lease.
	if t.turn.V > 0 && (t.state == resolution.StateDone || t.state == resolution.StateWaiting) {
		m.NextTry = uint64(t.turn.V)
	}
}
