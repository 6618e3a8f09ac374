package compare

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
)

// Database is the index of a database. Each method reads one state.
type Database struct {
	*read.DB
	// Name names the database in errors.
	Name string
}

// in calls f with a new snapshot.
func (d *Database) in(f func(*store.Snapshot) error) error {
	s := store.NewSnapshot(d.Snapshot())
	if err := errors.Join(f(s), s.Close()); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	return nil
}

// State implements [Index].
func (d *Database) State(ctx context.Context) (state State, err error) {
	err = d.in(func(s *store.Snapshot) error {
		c, err := s.Chain(ctx)
		if err != nil {
			return err
		}
		var finalized *uint64
		if c.Finalized != nil {
			finalized = &c.Finalized.Number
		}
		state = stateOf(c.ID, finalized, c.Decoding, c.Contracts, c.Indexed)
		return nil
	})
	return state, err
}

// Digests implements [Index].
func (d *Database) Digests(ctx context.Context, ranges []evm.Range) (all []store.Digests, err error) {
	err = d.in(func(s *store.Snapshot) error {
		for _, r := range ranges {
			one, err := store.DigestOf(ctx, s.Snapshot, evm.Long(r.From), evm.Long(r.To))
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// digest returns the digests of an indexed range, however many records it has to read.
func (d *Database) digest(ctx context.Context, r evm.Range) (all digest.Digests, err error) {
	err = d.in(func(s *store.Snapshot) (err error) {
		all, err = digest.Of(s.Tx, s.Client()).Range(ctx, r, -1)
		return err
	})
	return all, err
}

// Page implements [Index].
func (d *Database) Page(ctx context.Context, kind nft.Kind, r evm.Range, after *string) (list []Record, next *string, err error) {
	from, to, size := evm.Long(r.From), evm.Long(r.To), d.MaxPageSize()
	err = d.in(func(s *store.Snapshot) error {
		p, err := s.Page(store.Filter{Kind: kind, FromBlock: &from, ToBlock: &to}, page.Args{First: &size, After: after})
		if err == nil {
			err = p.Read(ctx, nil)
		}
		for i := 0; i < len(p.Items) && err == nil; i++ {
			t := &p.Items[i]
			of := Record{Block: t.Block.Number, Log: uint64(t.LogIndex), Sub: uint64(t.SubIndex)}
			of.Line, err = export.Line(t)
			list = append(list, of)
		}
		if err == nil && len(list) == size {
			cursor := p.Cursor(size - 1)
			next = &cursor
		}
		return err
	})
	return list, next, err
}
