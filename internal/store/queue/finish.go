package queue

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"mintburn/ent"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Finish stores the results for tokens that [Queue.Claim] returned, in one transaction.
//
//   - UpdatedAt of a document does not change if the document does not.
//   - A failed fetch keeps the document of an earlier one.
//   - A token that an event concerned during the fetch is due again at once.
//   - A token that was not tried waits until NextAt.
//   - A picture becomes the document of a token that has no other.
//   - If the lease of a token has ended, only its document is stored, if it is the newest.
//   - If a token has left the queue because a reorg orphaned its mint, nothing is stored.
//   - If the lease of a collection has ended, nothing is stored.
//
// If the database refuses data of the results, each is stored in a transaction of its own, and
// those that it refuses are failures.
func (q *Queue) Finish(ctx context.Context, results []nft.Resolution) error {
	err := q.finish(ctx, results)
	if !database.IsRefused(err) {
		return err
	}
	for _, r := range results {
		err := q.finish(ctx, []nft.Resolution{r})
		if database.IsRefused(err) {
			// Neither the reason nor the URI, which may be what it refuses.
			err = q.finish(ctx, []nft.Resolution{{Task: r.Task, At: r.At, NextAt: r.At + retryRefused, Problem: "the database refuses the document"}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// retryRefused is when a token is due again whose data the database refused, in seconds.
const retryRefused = 24 * 60 * 60

func (q *Queue) finish(ctx context.Context, results []nft.Resolution) error {
	var contracts []evm.Address
	for i := range results {
		contracts = append(contracts, results[i].Contract)
	}
	slices.SortFunc(contracts, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	contracts = slices.Compact(contracts)
	return q.write(ctx, func(ctx context.Context, tx Tx) error {
		ids, err := contractIDs(ctx, tx, contracts...)
		if err != nil {
			return err
		}
		for i := range results {
			if err := finish(ctx, tx, &results[i], ids[results[i].Contract], q.opts.Keep); err != nil {
				return fmt.Errorf("storing the result for %s %s: %w", results[i].Contract, results[i].TokenID, err)
			}
		}
		return nil
	})
}

func finish(ctx context.Context, tx Tx, r *nft.Resolution, contractID int64, keep int) error {
	if r.OfCollection {
		return finishCollection(ctx, tx, r, contractID)
	}
	untried := r.Document == nil && r.Problem == "" && r.NextAt > 0
	if (r.Document == nil) != (r.Problem != "") && !untried {
		return fmt.Errorf("internal error: got document %v and problem %q, want exactly one", r.Document != nil, r.Problem)
	}
	if r.At > evm.MaxLong || r.NextAt > evm.MaxLong {
		return fmt.Errorf("times: got %d and %d, want at most %d", r.At, r.NextAt, uint64(evm.MaxLong))
	}
	client := tx.Client()
	row, found, err := tables.Found(client.Resolution.Query().Where(resolution.ContractID(contractID), resolution.TokenID(r.TokenID)).Only(ctx))
	if err != nil || !found {
		return err
	}
	if untried {
		if !holds(row, r) {
			return nil
		}
		// Its fetch state stays: the token waited before, too.
		due := int64(r.NextAt)
		if row.State == resolution.StateAgain {
			due = int64(r.At)
		}
		return client.Resolution.UpdateOne(row).SetState(resolution.StateWaiting).SetDueAt(due).Exec(ctx)
	}
	var documented bool
	if r.Picture != nil {
		stored, found, err := tables.Found(client.Token.Query().Where(token.ContractID(contractID), token.TokenID(r.TokenID)).Only(ctx))
		if err != nil {
			return err
		}
		if !found || tables.WholeRaw(stored) == tables.Storable(r.Picture.Raw) {
			// A copy, because the transaction may run again.
			picture := *r
			picture.Document, picture.Problem, picture.NextAt = r.Picture, "", r.PictureNextAt
			r = &picture
		}
	}
	if r.Document != nil {
		document := *r.Document
		document.TokenKey, document.URI, document.FetchedAt = r.TokenKey, r.URI, r.At
		documented, err = tx.PutDocument(ctx, &document, Storing{Latest: holds(row, r), Cause: causeOf(row), Keep: keep})
	} else {
		documented, err = client.Token.Query().Where(token.ContractID(contractID), token.TokenID(r.TokenID)).Exist(ctx)
	}
	if err != nil {
		return err
	}
	before := tables.FetchState(documented, row)
	if row, err = noteResult(ctx, tx, r, row); err != nil {
		return err
	}
	tx.CountState(tables.StateChange{
		ContractID: contractID, TokenID: r.TokenID, From: before, To: tables.FetchState(documented || r.Document != nil, row), Tokens: 1,
	})
	return nil
}

// causeOf returns why the document of a token in the queue was fetched again.
func causeOf(row *ent.Resolution) nft.Cause {
	if row.Woken != nil {
		return nft.Event
	}
	return nft.Recheck
}

// holds reports whether the worker of a result still holds the token.
func holds(row *ent.Resolution, r *nft.Resolution) bool {
	leased := row.State == resolution.StateLeased || row.State == resolution.StateAgain
	return leased && row.DueAt != nil && *row.DueAt == r.Lease
}

// noteResult updates a token's row in the queue after a fetch, and returns it.
func noteResult(ctx context.Context, tx Tx, r *nft.Resolution, row *ent.Resolution) (*ent.Resolution, error) {
	if !holds(row, r) {
		// The lease ended before the fetch did, and another worker may have the token.
		return row, nil
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
		if row.State != resolution.StateAgain {
			update.ClearWoken()
		}
		return update.ClearError().ClearURI().SetAttempts(0).Save(ctx)
	}
	return update.SetError(tables.Storable(r.Problem)).SetURI(tables.Storable(r.URI)).AddAttempts(1).Save(ctx)
}

// Imported notes that documents were imported, at most one for each token. The tokens are
// not due until an event wakes them. A worker that has such a token continues. keys are the tokens in
// their order, before those that had a document before, and queued the ids of the rows that they have.
func Imported(ctx context.Context, tx Tx, items []nft.TokenMetadata, keys []tables.TokenKey, before map[tables.TokenKey]int, queued []int) error {
	client := tx.Client().Resolution
	known := make(map[tables.TokenKey]*ent.Resolution, len(queued))
	if len(queued) > 0 {
		rows, err := client.Query().Where(resolution.IDIn(queued...)).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			known[tables.TokenKey{ContractID: row.ContractID, TokenID: row.TokenID}] = row
		}
	}
	var created []*ent.ResolutionCreate
	for i := range items {
		m := &items[i]
		row, found := known[keys[i]]
		_, documented := before[keys[i]]
		change := tables.StateChange{ContractID: keys[i].ContractID, TokenID: m.TokenID, From: tables.FetchState(documented, row), To: nft.Resolved, Tokens: 1}
		if !found {
			tx.CountState(change)
			created = append(created, client.Create().SetContractID(keys[i].ContractID).SetTokenID(m.TokenID).SetStandard(tables.StandardOf(m.Type)).
				SetState(resolution.StateDone).SetAttemptedAt(m.FetchedAt))
			continue
		}
		if row.AttemptedAt != nil && *row.AttemptedAt >= m.FetchedAt {
			change.To = tables.FetchState(true, row)
			tx.CountState(change)
			continue
		}
		update := client.UpdateOne(row).SetAttemptedAt(m.FetchedAt).ClearError().ClearURI().SetAttempts(0)
		if row.State == resolution.StateDone || row.State == resolution.StateWaiting && row.AttemptedAt == nil {
			update.SetState(resolution.StateDone).ClearDueAt().ClearSeenBlock().ClearWoken()
		}
		after, err := update.Save(ctx)
		if err != nil {
			return err
		}
		change.To = tables.FetchState(true, after)
		tx.CountState(change)
	}
	return client.CreateBulk(created...).Exec(ctx)
}
