package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent/block"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

func blockIDs(r Range) []predicate.Block {
	return []predicate.Block{block.IDGTE(int64(r.From)), block.IDLTE(int64(r.To))}
}

// insert writes the rows of blocks that are not stored yet. A goroutine makes
// them while this one hands them to the database, which takes longer.
func (w *writer) insert(ctx context.Context, blocks []nft.Block) error {
	if err := w.nameContracts(ctx, blocks); err != nil {
		return err
	}
	runs := make(chan run, runsAhead)
	tables := w.tables(func(_ context.Context, r run) error { runs <- r; return nil })
	var made error
	go func() {
		defer close(runs)
		made = tables.fill(ctx, blocks)
	}()
	var err error
	for r := range runs {
		// After an error the rest is taken, for the goroutine to end.
		if err == nil {
			err = insertRun(ctx, r)
		}
	}
	if err := errors.Join(made, err, tables.each((*inserter).close)); err != nil {
		return err
	}
	if err := w.unqueue(ctx, blocks); err != nil {
		return err
	}
	return w.storeRefreshes(ctx, blocks)
}

// nameContracts makes sure that each contract of the blocks has a number, and
// notes the shapes of its events.
func (w *writer) nameContracts(ctx context.Context, blocks []nft.Block) error {
	shapes := map[evm.Address]int8{}
	for i := range blocks {
		for _, records := range [][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for n := range records {
				shape := int8(shape721)
				if records[n].Type == nft.ERC1155 {
					shape = shape1155
				}
				shapes[records[n].Contract] |= shape
			}
		}
	}
	for address, seen := range shapes {
		if err := w.nameContract(ctx, address, seen); err != nil {
			return fmt.Errorf("storing contract %s: %w", address, err)
		}
	}
	return nil
}

func (w *writer) nameContract(ctx context.Context, address evm.Address, shapes int8) error {
	client := w.store.client(w.tx).Contract
	row, err := client.Query().Where(contract.Address(address)).Only(ctx)
	switch {
	case isNotFound(err):
		row, err = client.Create().SetAddress(address).SetShapes(shapes).Save(ctx)
	case err == nil && row.Shapes|shapes != row.Shapes:
		err = client.UpdateOne(row).SetShapes(row.Shapes | shapes).Exec(ctx)
	}
	if err != nil {
		return err
	}
	w.contracts[address] = row.ID
	return nil
}
