package proof

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/change"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// Redecoding changes the decoder options of a database by decoding all indexed
// blocks again.
type Redecoding struct{ store *write.DB }

// NewRedecoding returns a [Redecoding] of the database.
func NewRedecoding(s *write.DB) Redecoding { return Redecoding{s} }

// leftOf returns the indexed ranges that must still be decoded again.
func leftOf(r *write.Redecode, stored *write.Decoding, indexed []evm.Range) []evm.Range {
	left := indexed
	if stored != nil && stored.Equal(r.To) {
		// Back to the stored options: only changed blocks are left.
		left = nil
		for _, changed := range r.Changed {
			left = append(left, tables.Common(indexed, changed)...)
		}
	}
	return tables.Without(left, r.Done...)
}

// Begin begins to change the options of the database, or continues a change to the
// same options. It returns the ranges left for [Redecoding.Replace]. Unset options
// get their defaults. Until [Redecoding.Finish], only this store and others that
// redecode to the same options can store blocks. A change back to the stored
// options undoes an unfinished change; if there is none, no range is left.
func (d Redecoding) Begin(ctx context.Context, to write.Decoding) (bound write.Decoding, left []evm.Range, err error) {
	to = to.Over(write.Decoding{})
	err = d.store.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		indexed, err := tables.Ranges(ctx, w.Client(), coverage.KindIndexed)
		if err == nil && len(indexed) == 0 {
			err = errors.New("nothing is indexed yet: the options of the decoder are stored with the first blocks")
		}
		if err != nil {
			return err
		}
		stored, unfinished, err := write.StoredDecoding(ctx, w)
		before := d.store.Bound.Load()
		switch {
		case err != nil:
			return err
		case unfinished == nil && stored != nil && stored.Equal(to):
			return nil
		case unfinished == nil:
			unfinished = &write.Redecode{To: to}
		case unfinished.To.Equal(to):
		case before != nil && before.Redecodes:
			// Another process has begun a change to other options.
			return unfinished.Unfinished()
		default:
			unfinished.To, unfinished.Done = to, nil
		}
		left = leftOf(unfinished, stored, indexed)
		return tables.Set(ctx, w.Client(), tables.Redecoding, unfinished)
	})
	if err != nil {
		return write.Decoding{}, nil, err
	}
	d.store.Bound.Store(&write.Binding{Decoding: to, Redecodes: true})
	return to, left, nil
}

// Replace replaces the records and the rejected logs of a range left by
// [Redecoding.Begin] with those of blocks, in one transaction. Empty blocks may be
// omitted. With proven the range counts as verified, otherwise it no longer does.
// Refreshes stay unchanged, because no option affects them. Replace returns a
// [*write.BlockError] and changes nothing if a block contradicts the stored blocks, or if
// the range is no longer indexed.
func (d Redecoding) Replace(ctx context.Context, blocks []nft.Block, r evm.Range, proven bool) error {
	if err := write.CheckWithin(blocks, r); err != nil {
		return err
	}
	err := d.store.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		if _, err := write.RequireIndexed(ctx, w, r); err != nil {
			return err
		}
		blocks, err := withHeaders(ctx, w, blocks, r)
		if err != nil {
			return err
		}
		w.Log.Void(r, change.Redecode)
		if err := replaceRange(ctx, w, blocks, r); err != nil {
			return err
		}
		return noteRedecoded(ctx, w, r, proven)
	})
	return database.Wrap(err, "redecoding blocks %d to %d", r.From, r.To)
}

// withHeaders returns the blocks in order, with an empty block for each other stored
// header of the range. It fills in unknown parent hashes from the stored headers.
func withHeaders(ctx context.Context, w *write.Tx, blocks []nft.Block, r evm.Range) ([]nft.Block, error) {
	blocks = write.InOrder(blocks)
	for run := range tables.Consecutive(blocks) {
		if _, err := write.CheckRun(ctx, w, run); err != nil {
			return nil, err
		}
	}
	stored, err := tables.Headers(ctx, w, r)
	if err != nil {
		return nil, err
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Header.ParentHash.IsZero() {
			b.Header.ParentHash = stored[b.Header.Number].ParentHash
		}
		b.Refreshes = nil
		delete(stored, b.Header.Number)
	}
	for _, h := range stored {
		blocks = append(blocks, nft.Block{Header: h})
	}
	return write.InOrder(blocks), nil
}

// replaceRange replaces all stored blocks of a range with blocks.
func replaceRange(ctx context.Context, w *write.Tx, blocks []nft.Block, r evm.Range) error {
	before, err := mintedIn(ctx, w, r)
	if err != nil {
		return err
	}
	queued, err := tables.Ranges(ctx, w.Client(), coverage.KindQueued)
	if err != nil {
		return err
	}
	if err := tables.Uncover(ctx, w.Client(), coverage.KindQueued, r); err != nil {
		return err
	}
	if err := write.RemoveBlocks(ctx, w, r, false); err != nil {
		return err
	}
	if len(blocks) > 0 {
		if err := write.Insert(ctx, w, blocks); err != nil {
			return err
		}
	}
	if err := write.CoverLinked(ctx, w, blocks); err != nil {
		return err
	}
	if added, err := replaceMinted(ctx, w, before, r); err != nil || added {
		return err
	}
	return tables.Cover(ctx, w.Client(), coverage.KindQueued, tables.Common(queued, r)...)
}

// replaceMinted removes the tokens without a mint among those that had one in a range before, and
// reports whether others have one there now.
func replaceMinted(ctx context.Context, w *write.Tx, before map[tables.TokenKey]bool, r evm.Range) (added bool, err error) {
	after, err := mintedIn(ctx, w, r)
	if err != nil {
		return false, err
	}
	for t := range after {
		added = added || !before[t]
		delete(before, t)
	}
	for t := range before {
		if err := removeUnminted(ctx, w, t); err != nil {
			return false, err
		}
	}
	return added, nil
}

// mintedIn returns the tokens with a mint in a range. It leaves out damaged rows: the blocks of the range
// are replaced, and a token of theirs is minted again.
func mintedIn(ctx context.Context, w *write.Tx, r evm.Range) (map[tables.TokenKey]bool, error) {
	tokens := map[tables.TokenKey]bool{}
	mints := w.Builder().Select(mint.FieldContractID, mint.FieldTokenID).From(entsql.Table(mint.Table)).
		Where(entsql.And(entsql.GTE(mint.FieldID, tables.FirstIn(r.From)), entsql.LTE(mint.FieldID, tables.LastIn(r.To))))
	err := w.Query(ctx, mints, func(row *database.Row) error {
		var t tables.TokenKey
		if row.Values(&t.ContractID, &t.TokenID) != nil {
			row.Forgive()
			return nil
		}
		tokens[t] = true
		return nil
	})
	return tokens, database.Wrap(err, "reading mints")
}

// removeUnminted removes a token from the queue, and its document, if it has no mint.
func removeUnminted(ctx context.Context, w *write.Tx, t tables.TokenKey) error {
	left, err := w.Client().Mint.Query().Where(mint.ContractID(t.ContractID), mint.TokenID(t.TokenID)).Exist(ctx)
	if err != nil || left {
		return err
	}
	return write.RemoveTokens(ctx, w, []predicate.Token{token.ContractID(t.ContractID), token.TokenID(t.TokenID)}, resolution.ContractID(t.ContractID), resolution.TokenID(t.TokenID))
}

// noteRedecoded marks a range as decoded with the new options, and updates which of
// its blocks are proved.
func noteRedecoded(ctx context.Context, w *write.Tx, r evm.Range, proven bool) error {
	err := tables.Uncover(ctx, w.Client(), coverage.KindVerified, r)
	if err == nil && proven {
		err = tables.Cover(ctx, w.Client(), coverage.KindVerified, r)
	}
	if err != nil {
		return err
	}
	var spotted []evm.Range
	_, unfinished, err := write.StoredDecoding(ctx, w)
	if err == nil {
		_, err = tables.Get(ctx, w.Client(), tables.Spotted, &spotted)
	}
	if err != nil {
		return err
	}
	if len(spotted) > 0 {
		if err := tables.Set(ctx, w.Client(), tables.Spotted, tables.Without(spotted, r)); err != nil {
			return err
		}
	}
	if unfinished == nil {
		// Another process has finished: the range already had these options.
		return nil
	}
	unfinished.Done, unfinished.Changed = r.Join(unfinished.Done), r.Join(unfinished.Changed)
	return tables.Set(ctx, w.Client(), tables.Redecoding, unfinished)
}

// Finish stores the options of [Redecoding.Begin]. It fails if ranges are left.
func (d Redecoding) Finish(ctx context.Context) error {
	return d.store.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		if err := write.CheckDecoding(ctx, w); err != nil {
			return err
		}
		stored, unfinished, err := write.StoredDecoding(ctx, w)
		if err != nil || unfinished == nil {
			return err
		}
		indexed, err := tables.Ranges(ctx, w.Client(), coverage.KindIndexed)
		if err != nil {
			return err
		}
		if left := leftOf(unfinished, stored, indexed); len(left) > 0 {
			return fmt.Errorf("finishing to redecode: blocks %d to %d are left", left[0].From, left[0].To)
		}
		if err := tables.Remove(ctx, w.Client(), tables.Redecoding); err != nil {
			return err
		}
		return tables.Set(ctx, w.Client(), tables.Decoding, unfinished.To)
	})
}
