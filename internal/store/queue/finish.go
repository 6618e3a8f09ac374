package queue

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/predicate"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Finish stores the results for tokens that [Queue.Claim] gave out, in one
// transaction.
//
//   - UpdatedAt of a document stays as it is if the document did not change.
//   - A failed fetch leaves the document of an earlier one alone.
//   - A token that an event concerned meanwhile is due again at once.
//   - If the lease of a token ended, its document is stored if it is the newest,
//     and nothing else.
//   - If a token left the queue, because a reorg orphaned its mint, nothing is
//     stored.
func (q *Queue) Finish(ctx context.Context, results []nft.Resolution) error {
	return q.write(ctx, func(ctx context.Context, tx Tx) error {
		for i := range results {
			if err := finish(ctx, tx, &results[i]); err != nil {
				return fmt.Errorf("storing the result for %s %s: %w", results[i].Contract, results[i].TokenID, err)
			}
		}
		return nil
	})
}

func finish(ctx context.Context, tx Tx, r *nft.Resolution) error {
	if (r.Document == nil) != (r.Problem != "") {
		return fmt.Errorf("internal error: want either a document or a problem, got %v and %q", r.Document != nil, r.Problem)
	}
	if r.At > evm.MaxLong || r.NextAt > evm.MaxLong {
		return fmt.Errorf("times %d and %d: want at most %d", r.At, r.NextAt, uint64(evm.MaxLong))
	}
	row, err := rowOf(ctx, tx, r.TokenKey)
	if err != nil || row == nil {
		return err
	}
	if r.Document != nil {
		document := *r.Document
		document.TokenKey, document.URI, document.FetchedAt = r.TokenKey, r.URI, r.At
		if err := tx.PutDocument(ctx, &document); err != nil {
			return err
		}
	}
	leased := row.State == resolution.StateLeased || row.State == resolution.StateAgain
	if !leased || row.DueAt == nil || *row.DueAt != r.Lease {
		// The lease ended before the fetch did: the token is another's.
		return nil
	}
	update := tx.Client().Resolution.UpdateOne(row).SetAttemptedAt(r.At)
	switch {
	case row.State == resolution.StateAgain:
		update.SetState(resolution.StateWaiting).SetDueAt(int64(r.At))
	case r.NextAt == 0:
		update.SetState(resolution.StateDone).ClearDueAt()
	default:
		update.SetState(resolution.StateDone).SetDueAt(int64(r.NextAt))
	}
	if r.Document != nil {
		return update.ClearError().ClearURI().SetAttempts(0).Exec(ctx)
	}
	return update.SetError(tables.Storable(r.Problem)).SetURI(tables.Storable(r.URI)).AddAttempts(1).Exec(ctx)
}

// rowOf returns a token's row in the queue, nil if it has none.
func rowOf(ctx context.Context, tx Tx, key nft.TokenKey) (*ent.Resolution, error) {
	contractID, found, err := tx.ContractID(ctx, key.Contract)
	if err != nil || !found {
		return nil, err
	}
	row, _, err := tables.Found(tx.Client().Resolution.Query().Where(resolution.ContractID(contractID), resolution.TokenID(key.TokenID)).Only(ctx))
	return row, err
}

// Imported notes that the documents of different tokens came with an import: there is
// nothing to fetch until an event says so. A worker that has such a token goes on.
func Imported(ctx context.Context, tx Tx, items []nft.TokenMetadata) error {
	client := tx.Client().Resolution
	type key struct {
		contractID int64
		tokenID    evm.Uint256
	}
	keys, ids := make([]key, len(items)), map[int64][]evm.Uint256{}
	for i := range items {
		id, _, err := tx.ContractID(ctx, items[i].Contract)
		if err != nil {
			return err
		}
		keys[i] = key{id, items[i].TokenID}
		ids[id] = append(ids[id], items[i].TokenID)
	}
	var each []predicate.Resolution
	for id, tokens := range ids {
		each = append(each, resolution.And(resolution.ContractID(id), resolution.TokenIDIn(tokens...)))
	}
	rows, err := client.Query().Where(resolution.Or(each...)).All(ctx)
	if err != nil {
		return err
	}
	known := make(map[key]*ent.Resolution, len(rows))
	for _, row := range rows {
		known[key{row.ContractID, row.TokenID}] = row
	}
	var created []*ent.ResolutionCreate
	for i := range items {
		m := &items[i]
		row, found := known[keys[i]]
		if !found {
			created = append(created, client.Create().SetContractID(keys[i].contractID).SetTokenID(m.TokenID).SetStandard(tables.StandardOf(m.Type)).
				SetState(resolution.StateDone).SetAttemptedAt(m.FetchedAt))
			continue
		}
		if row.AttemptedAt != nil && *row.AttemptedAt >= m.FetchedAt {
			continue
		}
		update := client.UpdateOne(row).SetAttemptedAt(m.FetchedAt).ClearError().ClearURI().SetAttempts(0)
		if row.State == resolution.StateDone || row.State == resolution.StateWaiting && row.AttemptedAt == nil {
			update.SetState(resolution.StateDone).ClearDueAt().ClearSeenBlock()
		}
		if err := update.Exec(ctx); err != nil {
			return err
		}
	}
	return client.CreateBulk(created...).Exec(ctx)
}
