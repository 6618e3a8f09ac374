package store

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/nft"
)

// tryColumns say how the tries to fetch a token's document went, in the order
// that readTry reads.
var tryColumns = []string{resolution.FieldState, resolution.FieldError, resolution.FieldAttempts, resolution.FieldTurn}

// readTry reads them from a row, where all are null for a token that is not in
// the queue.
func readTry(r *rowReader, m *nft.TokenMetadata) {
	if r.null() {
		r.next += len(tryColumns) - 1
		return
	}
	state := resolution.State(r.text())
	switch {
	case !r.null():
		m.State, m.Error = nft.Failed, r.text()
	case state != resolution.StateDone:
		m.State = nft.Pending
	}
	m.Attempts = int(r.integer())
	if r.null() {
		return
	}
	// The turn of one that a worker has is the end of its lease.
	if turn := r.integer(); turn > 0 && (state == resolution.StateDone || state == resolution.StateWaiting) {
		m.NextTry = uint64(turn)
	}
}

// addFailed adds to found the wanted tokens whose last try failed; they must be
// without a document. It takes one statement for 10,000 tokens.
func (s *Snapshot) addFailed(ctx context.Context, wanted pairs, found map[nft.TokenKey]*nft.TokenMetadata) error {
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.store.texts.get(shape{name: "failed", limit: len(part)}, func() entsql.Querier {
			t, c := s.builder().Table(resolution.Table), s.builder().Table(contract.Table)
			statement := s.builder().Select().From(t).Join(c).On(t.C(resolution.FieldContractID), c.C(contract.FieldID)).
				Where(part.in(t.C(resolution.FieldContractID), t.C(resolution.FieldTokenID)))
			return statement.Select(c.C(contract.FieldAddress), t.C(resolution.FieldTokenID), c.C(contract.FieldShapes)).
				AppendSelect(t.Columns(resolution.FieldShape, resolution.FieldURI, resolution.FieldTriedAt)...).
				AppendSelect(t.Columns(tryColumns...)...)
		})
		err := s.queryText(ctx, text, part.args(s.store.dialect), func(r *rowReader) error {
			m := &nft.TokenMetadata{}
			r.scan(&m.Contract)
			r.scan(&m.TokenID)
			shapes, shape := r.integer(), r.integer()
			m.Type = typeOf(shapes, shape == shape1155)
			if !r.null() {
				m.URI = r.text()
			}
			if !r.null() {
				m.FetchedAt = r.unsigned(1<<63 - 1)
			}
			if readTry(r, m); m.State == nft.Failed {
				found[m.TokenKey] = m
			}
			return r.err
		})
		if err != nil {
			return fmt.Errorf("reading how metadata was fetched: %w", err)
		}
	}
	return nil
}
