package proof

import (
	"cmp"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// currentChain is [read.Snapshot.Chain] with a new snapshot.
func currentChain(ctx context.Context, s *write.DB) (c *read.Chain, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	return snapshot.Chain(ctx)
}

// Proofs reads and stores which blocks are proved complete.
type Proofs struct {
	store *write.DB
	// Transactions says that details of transactions that are not stored are differences.
	Transactions bool
	// Repairs says that blocks marked as verified lose their digests, which may be damaged.
	Repairs bool
}

// Of returns the [Proofs] of the database.
func Of(s *write.DB) Proofs { return Proofs{store: s} }

// MarkVerified marks blocks, a run of the chain in order, as proved complete. It
// returns a [*write.BlockError] and marks nothing if another block than a proved one is
// stored by now. It marks blocks without a stored header only if they are final or
// ancestors of a stored block.
func (p Proofs) MarkVerified(ctx context.Context, proved []evm.Header) error {
	r := evm.Range{From: proved[0].Number, To: proved[len(proved)-1].Number}
	err := p.store.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		if _, err := write.RequireIndexed(ctx, w, r); err != nil {
			return err
		}
		finalized, known, err := tables.FinalizedBlock(ctx, w.Client())
		if err != nil {
			return err
		}
		stored, err := tables.Headers(ctx, w, evm.Range{From: r.From, To: r.To + 1})
		if err != nil {
			return err
		}
		// to is the block after the last one that is known to be stored, final, or an
		// ancestor of a stored block.
		to := r.From
		for _, h := range proved {
			same, found := stored[h.Number]
			if found && same.Hash != h.Hash {
				return write.BlockErrorf(h, "block %d was proved as %s, but %s is stored: a reorg replaced it meanwhile", h.Number, h.Hash, same.Hash)
			}
			child, above := stored[h.Number+1]
			if found || above && child.ParentHash == h.Hash || known && h.Number <= finalized.Number {
				to = h.Number + 1
			}
		}
		if to == r.From {
			return nil
		}
		marked := evm.Range{From: r.From, To: to - 1}
		if p.Repairs {
			if err := tables.Uncover(ctx, w.Client(), coverage.KindDigested, marked); err != nil {
				return err
			}
		}
		return tables.Cover(ctx, w.Client(), coverage.KindVerified, marked)
	})
	return database.Wrap(err, "marking blocks %d to %d as verified", r.From, r.To)
}

// ClearVerified removes the mark of [Proofs.MarkVerified] from a range.
func (p Proofs) ClearVerified(ctx context.Context, r evm.Range) error {
	err := p.store.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		return tables.Uncover(ctx, w.Client(), coverage.KindVerified, r)
	})
	return database.Wrap(err, "clearing verified blocks %d to %d", r.From, r.To)
}

// DropBlooms clears all verified blocks if they may have been verified by all-zero bloom
// filters, which earlier versions took for evidence that a block has no records. It does so
// once, and reports whether it cleared any.
func (p Proofs) DropBlooms(ctx context.Context) (cleared bool, err error) {
	err = p.store.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		_, dropped, err := tables.Setting(ctx, w.Client(), tables.BloomsDropped)
		if err != nil || dropped {
			return err
		}
		if cleared, err = anyVerified(ctx, w.Client()); err != nil {
			return err
		}
		if err := tables.Uncover(ctx, w.Client(), coverage.KindVerified, evm.Range{To: tables.MaxBlock}); err != nil {
			return err
		}
		return tables.SetText(ctx, w.Client(), tables.BloomsDropped, "true")
	})
	return cleared, database.Wrap(err, "clearing verified blocks")
}

// Any reports whether any block is verified.
func (p Proofs) Any(ctx context.Context) (proved bool, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.End(&err)
	return anyVerified(ctx, snapshot.Client())
}

// anyVerified reports whether any block is verified.
func anyVerified(ctx context.Context, client *ent.Client) (bool, error) {
	proved, err := client.Coverage.Query().Where(coverage.KindEQ(coverage.KindVerified)).Exist(ctx)
	return proved, database.Wrap(err, "reading coverage")
}

// Unverified returns the first range of final, indexed blocks outside skip that are
// not verified, and false if there are none.
func (p Proofs) Unverified(ctx context.Context, skip []evm.Range) (r evm.Range, found bool, err error) {
	c, err := currentChain(ctx, p.store)
	if err != nil || c.Finalized == nil {
		return r, false, err
	}
	r, found = unverified(c, evm.Range{To: c.Finalized.Number}, skip)
	return r, found, nil
}

// UnverifiedIn returns the first range of indexed blocks, final or not, that lie
// inside one of the ranges within and outside skip, and are not verified. It returns
// false if there are none.
func (p Proofs) UnverifiedIn(ctx context.Context, within, skip []evm.Range) (r evm.Range, found bool, err error) {
	c, err := currentChain(ctx, p.store)
	for i := 0; i < len(within) && err == nil && !found; i++ {
		r, found = unverified(c, within[i], skip)
	}
	return r, found, err
}

// unverified returns the first range of indexed blocks inside within and outside skip
// that are not verified.
func unverified(c *read.Chain, within evm.Range, skip []evm.Range) (evm.Range, bool) {
	left := tables.Without(tables.Common(c.Indexed, within), slices.Concat(c.Verified, skip)...)
	if len(left) == 0 {
		return evm.Range{}, false
	}
	return left[0], true
}

// SetUnprovable stores a range of blocks that can't be proved, because the operator says
// so or because the nodes agree. Once any block is verified, the agreement of nodes is not
// enough: SetUnprovable then stores nothing and returns false.
func (p Proofs) SetUnprovable(ctx context.Context, r evm.Range, reason string, operator bool) (noted bool, err error) {
	err = p.store.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		proved, err := anyVerified(ctx, w.Client())
		if err != nil {
			return err
		}
		if noted = operator || !proved; !noted {
			return nil
		}
		var all []read.Unprovable
		if _, err := tables.Get(ctx, w.Client(), tables.Unprovable, &all); err != nil {
			return err
		}
		joined := []evm.Range{r}
		all = slices.DeleteFunc(all, func(u read.Unprovable) bool {
			if u.Reason == reason {
				joined = evm.Range{From: u.FromBlock, To: u.ToBlock}.Join(joined)
			}
			return u.Reason == reason
		})
		for _, r := range joined {
			all = append(all, read.Unprovable{FromBlock: r.From, ToBlock: r.To, Reason: reason})
		}
		slices.SortFunc(all, func(a, b read.Unprovable) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return tables.Set(ctx, w.Client(), tables.Unprovable, all)
	})
	return noted, err
}

// A spot is a block that represents the blocks above it, up to the next spot. It has
// records, or is one of spotEvery blocks without records. Spots are proved from the newest
// final block down. They do not count as verified, because on a long chain each would be a
// range of coverage.
const spotEvery = 64

// NextSpot returns the newest final, indexed block to prove, r.From, and the blocks
// above it that it represents. It returns false if none is left. It leaves out
// verified blocks, and those in skip or given to [Proofs.Spotted].
func (p Proofs) NextSpot(ctx context.Context, skip []evm.Range) (r evm.Range, found bool, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.End(&err)
	open, err := unspotted(ctx, snapshot)
	open = tables.Without(open, skip...)
	if err != nil || len(open) == 0 {
		return r, false, err
	}
	r = open[len(open)-1]
	if r.To-r.From >= spotEvery {
		r.From = r.To - spotEvery + 1
	}
	last, err := lastRecord(ctx, snapshot, r)
	r.From = max(r.From, last)
	return r, err == nil, database.Wrap(err, "looking for a block with records")
}

// SpotsLeft returns the number of final, indexed blocks that are neither verified
// nor given to [Proofs.Spotted].
func (p Proofs) SpotsLeft(ctx context.Context) (blocks uint64, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.End(&err)
	open, err := unspotted(ctx, snapshot)
	for _, r := range open {
		blocks += r.To - r.From + 1
	}
	return blocks, err
}

// Spotted stores a range of blocks whose spot was proved.
func (p Proofs) Spotted(ctx context.Context, r evm.Range) error {
	return p.store.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		var spotted []evm.Range
		if _, err := tables.Get(ctx, w.Client(), tables.Spotted, &spotted); err != nil {
			return err
		}
		return tables.Set(ctx, w.Client(), tables.Spotted, r.Join(spotted))
	})
}

// unspotted returns the ranges of blocks without a proved spot, in order.
func unspotted(ctx context.Context, s *read.Snapshot) ([]evm.Range, error) {
	c, err := s.Chain(ctx)
	if err != nil || c.Finalized == nil {
		return nil, err
	}
	var spotted []evm.Range
	if _, err := read.GetSetting(ctx, s, tables.Spotted, &spotted); err != nil {
		return nil, err
	}
	return tables.Without(tables.Common(c.Indexed, evm.Range{To: c.Finalized.Number}), append(spotted, c.Verified...)...), nil
}

// lastRecord returns the newest block of a range that has records, or 0.
func lastRecord(ctx context.Context, s *read.Snapshot, r evm.Range) (number uint64, err error) {
	for _, table := range [...]string{mint.Table, burn.Table} {
		last, _, err := read.EndOf(ctx, s, table, r, entsql.Desc("id"))
		if err != nil {
			return 0, err
		}
		number = max(number, last)
	}
	return number, nil
}
