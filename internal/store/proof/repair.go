package proof

import (
	"context"
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

// Repair replaces stored blocks with proven blocks, a run of the chain in order, and
// marks these as verified, in one transaction. It recounts the totals that include
// the blocks, because another program may have changed their rows.
//
// It never changes the stored branch. It returns a [*write.BlockError] and changes nothing
// unless
//
//   - all heights are within one indexed range;
//   - the run links: within itself and, at each end that adds a header or replaces
//     a hash, to the stored block below or above;
//   - blocks whose hash is replaced are final, and the run leads to a stored block
//     above them or to the stored finalized block. While no finalized block is
//     known, the run may also end the indexed range, if the block below it is
//     stored.
func (p Proofs) Repair(ctx context.Context, blocks []nft.Block) error {
	r := evm.Range{From: blocks[0].Header.Number, To: blocks[len(blocks)-1].Header.Number}
	err := p.store.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		stored, err := repairable(ctx, w, blocks, r)
		if err != nil {
			return err
		}
		w.Log.Void(r, change.Repair)
		minted, err := mintedIn(ctx, w, r)
		if err != nil {
			return err
		}
		for i := range blocks {
			if err := replaceBlock(ctx, w, &blocks[i], stored); err != nil {
				return fmt.Errorf("block %d: %w", blocks[i].Header.Number, err)
			}
		}
		if err := removeLost(ctx, w, minted, r); err != nil {
			return err
		}
		if err := tables.Uncover(ctx, w.Client(), coverage.KindDigested, r); err != nil {
			return err
		}
		return tables.Cover(ctx, w.Client(), coverage.KindVerified, r)
	})
	return database.Wrap(err, "repairing blocks %d to %d", r.From, r.To)
}

// repairable returns the stored headers of a range and of its neighbours, if the
// blocks may replace it.
func repairable(ctx context.Context, w *write.Tx, blocks []nft.Block, r evm.Range) (map[uint64]evm.Header, error) {
	first, last := blocks[0].Header, blocks[len(blocks)-1].Header
	indexed, err := write.RequireIndexed(ctx, w, r)
	if err != nil {
		return nil, err
	}
	stored, err := tables.Headers(ctx, w, evm.Range{From: max(r.From, 1) - 1, To: r.To + 1})
	if err != nil {
		return nil, err
	}
	replaced := map[uint64]bool{}
	for i := range blocks {
		h := blocks[i].Header
		if i > 0 && (h.Number != blocks[i-1].Header.Number+1 || h.ParentHash != blocks[i-1].Header.Hash) {
			return nil, write.BlockErrorf(h, "block %d %s does not follow block %d %s", h.Number, h.Hash, blocks[i-1].Header.Number, blocks[i-1].Header.Hash)
		}
		if before, ok := stored[h.Number]; ok && before.Hash != h.Hash {
			replaced[h.Number] = true
		}
	}
	// A block with the stored hash is the same block, whatever its neighbours are.
	changed := func(number uint64) bool { _, ok := stored[number]; return !ok || replaced[number] }
	parent, below := stored[r.From-1]
	if below = below && r.From > 0; below && changed(r.From) && !first.ParentHash.IsZero() && parent.Hash != first.ParentHash {
		return nil, write.ParentError(first, parent)
	}
	child, above := stored[r.To+1]
	if above = above && !child.ParentHash.IsZero(); above && changed(r.To) && child.ParentHash != last.Hash {
		return nil, write.ChildError(last, child)
	}
	if len(replaced) == 0 {
		return stored, nil
	}
	finalized, known, err := tables.FinalizedBlock(ctx, w.Client())
	if err != nil {
		return nil, err
	}
	anchored := above || !changed(r.To) || !known && below && r.To == indexed.To
	for i := 0; known && i < len(blocks); i++ {
		h := blocks[i].Header
		if replaced[h.Number] && h.Number > finalized.Number {
			return nil, write.BlockErrorf(h, "block %d is stored with another hash and not final: only following the chain replaces it", h.Number)
		}
		if h.Number == finalized.Number {
			if h.Hash != finalized.Hash {
				return nil, write.BlockErrorf(h, "block %d has the hash %s, but the finalized block there is %s", h.Number, h.Hash, finalized.Hash)
			}
			anchored = true
		}
	}
	if !anchored {
		return nil, write.BlockErrorf(last, "no stored block links to block %d %s", r.To, last.Hash)
	}
	return stored, nil
}

// replaceBlock replaces the stored block at the height of b.
func replaceBlock(ctx context.Context, w *write.Tx, b *nft.Block, stored map[uint64]evm.Header) error {
	number := b.Header.Number
	at := evm.Range{From: number, To: number}
	if h, ok := stored[number]; ok && h.Hash != b.Header.Hash {
		if err := write.Orphan(ctx, w.Client(), at); err != nil {
			return err
		}
	}
	if err := write.RemoveBlocks(ctx, w, at, true); err != nil {
		return err
	}
	if err := write.Insert(ctx, w, []nft.Block{*b}); err != nil {
		return err
	}
	for _, records := range [][]nft.Record{b.Mints, b.Burns} {
		for i := range records {
			w.Counts.Derived[w.Contracts[records[i].Contract]] = struct{}{}
		}
	}
	return Recount(ctx, w, number)
}

// Recount recounts the records of a block in the scopes that the transaction changed.
func Recount(ctx context.Context, w *write.Tx, number uint64) error {
	if err := w.Counters.Recount(ctx, number); err != nil {
		return err
	}
	return w.Counters.Apply(ctx)
}

// removeLost removes the tokens without a mint among those that had one in a range before.
func removeLost(ctx context.Context, w *write.Tx, before map[tables.TokenKey]bool, r evm.Range) error {
	after, err := mintedIn(ctx, w, r)
	if err != nil {
		return err
	}
	for t := range before {
		if after[t] {
			continue
		}
		if err := removeUnminted(ctx, w, t); err != nil {
			return err
		}
	}
	return nil
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
