package store

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Finish stores what came of tokens that [Queue.Claim] gave out, in one
// transaction. UpdatedAt of a document stays as it is when that did not change;
// a failed try leaves the document of an earlier one alone. A token of which an
// event spoke meanwhile is due again at once. The document of a token whose lease
// ended is stored if it is the newest, and nothing else; of one that left the
// queue, because a reorganisation orphaned its mint, nothing is.
func (q *Queue) Finish(ctx context.Context, results []nft.Resolution) error {
	_, err := q.store.write(ctx, func(ctx context.Context, w *writer) error {
		for i := range results {
			if err := w.finish(ctx, &results[i]); err != nil {
				return fmt.Errorf("storing what came of %s %s: %w", results[i].Contract, results[i].TokenID, err)
			}
		}
		return nil
	})
	return err
}

func (w *writer) finish(ctx context.Context, r *nft.Resolution) error {
	if (r.Document == nil) != (r.Problem != "") {
		return fmt.Errorf("internal error: want either a document or a problem, got %v and %q", r.Document != nil, r.Problem)
	}
	if r.At > evm.MaxLong || r.NextAt > evm.MaxLong {
		return fmt.Errorf("times %d and %d: want at most %d", r.At, r.NextAt, uint64(evm.MaxLong))
	}
	row, found, err := w.queued(ctx, r.TokenKey)
	if err != nil || !found {
		return err
	}
	if r.Document != nil {
		document := *r.Document
		document.TokenKey, document.URI, document.FetchedAt = r.TokenKey, r.URI, r.At
		if err := w.putMetadata(ctx, &document); err != nil {
			return err
		}
	}
	leased := row.State == resolution.StateLeased || row.State == resolution.StateAgain
	if !leased || row.Turn == nil || *row.Turn != r.Lease {
		// The lease ended before the try did: the token is another's.
		return nil
	}
	update := w.store.client(w.tx).Resolution.UpdateOne(row).SetTriedAt(r.At)
	switch {
	case row.State == resolution.StateAgain:
		update.SetState(resolution.StateWaiting).SetTurn(int64(r.At))
	case r.NextAt == 0:
		update.SetState(resolution.StateDone).ClearTurn()
	default:
		update.SetState(resolution.StateDone).SetTurn(int64(r.NextAt))
	}
	if r.Document != nil {
		return update.ClearError().ClearURI().SetAttempts(0).Exec(ctx)
	}
	return update.SetError(storable(r.Problem)).SetURI(storable(r.URI)).AddAttempts(1).Exec(ctx)
}

// queued returns the row of a token in the queue, and false when it has none.
func (w *writer) queued(ctx context.Context, key nft.TokenKey) (*ent.Resolution, bool, error) {
	id, ok := w.contracts[key.Contract]
	if !ok {
		row, err := w.store.client(w.tx).Contract.Query().Where(contract.Address(key.Contract)).Only(ctx)
		if ent.IsNotFound(err) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		id = row.ID
		w.contracts[key.Contract] = id
	}
	row, err := w.store.client(w.tx).Resolution.Query().Where(resolution.ContractID(id), resolution.TokenID(key.TokenID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, false, nil
	}
	return row, err == nil, err
}

// imported notes that a token's document came with an import: there is nothing
// to fetch until an event says so. A worker that has the token goes on.
func (w *writer) imported(ctx context.Context, m *nft.TokenMetadata) error {
	client, fetched := w.store.client(w.tx).Resolution, m.FetchedAt
	row, found, err := w.queued(ctx, m.TokenKey)
	switch {
	case err != nil:
		return err
	case !found:
		shape := int8(shape721)
		if m.Type == nft.ERC1155 {
			shape = shape1155
		}
		return client.Create().SetContractID(w.contracts[m.Contract]).SetTokenID(m.TokenID).SetShape(shape).
			SetState(resolution.StateDone).SetTriedAt(fetched).Exec(ctx)
	case row.TriedAt != nil && *row.TriedAt >= fetched:
		return nil
	}
	update := client.UpdateOne(row).SetTriedAt(fetched).ClearError().ClearURI().SetAttempts(0)
	if row.State == resolution.StateDone || row.State == resolution.StateWaiting && row.TriedAt == nil {
		update.SetState(resolution.StateDone).ClearTurn().ClearSeenBlock()
	}
	return update.Exec(ctx)
}
