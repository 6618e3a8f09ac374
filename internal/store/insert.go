package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
	"mintburn/ent/rejectedlog"
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
	var panicked any
	go func() {
		defer close(runs)
		defer func() { panicked = recover() }()
		made = tables.fill(ctx, blocks)
	}()
	var err error
	for r := range runs {
		// After an error the rest is taken, for the goroutine to end.
		if err == nil {
			err = insertRun(ctx, r)
		}
	}
	if panicked != nil {
		// Here the caller can recover from it, and the transaction ends.
		panic(panicked)
	}
	if err := errors.Join(made, err, tables.each((*inserter).close)); err != nil {
		return err
	}
	if err := w.unqueue(ctx, blocks); err != nil {
		return err
	}
	return w.storeRefreshes(ctx, blocks)
}

// tables are those that new blocks are written to.
type tables struct {
	writer                          *writer
	headers, mints, burns, rejected *inserter
	// record is the row that is being added.
	record recordRow
}

// tables returns inserters whose runs take gets.
func (w *writer) tables(take func(context.Context, run) error) *tables {
	return &tables{
		writer:   w,
		headers:  w.inserter(take, block.Table, block.Columns),
		mints:    w.inserter(take, mint.Table, mint.Columns),
		burns:    w.inserter(take, burn.Table, burn.Columns),
		rejected: w.inserter(take, rejectedlog.Table, rejectedlog.Columns),
	}
}

// each calls f for every table, up to the first error.
func (t *tables) each(f func(*inserter) error) error {
	for _, into := range []*inserter{t.headers, t.mints, t.burns, t.rejected} {
		if err := f(into); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the rows of blocks, and notes them in the counters. It asks the
// database nothing.
func (t *tables) fill(ctx context.Context, blocks []nft.Block) error {
	for i := range blocks {
		if err := t.addBlock(ctx, &blocks[i]); err != nil {
			return err
		}
	}
	return t.each(func(into *inserter) error { return into.flush(ctx) })
}

func (t *tables) addBlock(ctx context.Context, b *nft.Block) error {
	h := &b.Header
	if err := t.headers.add(ctx, blockRow(h)); err != nil {
		return err
	}
	for _, records := range [][]nft.Record{b.Mints, b.Burns} {
		for n := range records {
			if err := t.addRecord(ctx, h.Number, n, &records[n]); err != nil {
				return err
			}
		}
	}
	for _, r := range b.Rejected {
		if err := t.addRejected(ctx, h.Number, &r); err != nil {
			return err
		}
	}
	applied := &t.writer.applied
	applied.Blocks++
	applied.Mints += len(b.Mints)
	applied.Burns += len(b.Burns)
	applied.Rejected += len(b.Rejected)
	return nil
}

func (t *tables) addRecord(ctx context.Context, number uint64, n int, r *nft.Record) error {
	// The last position of a block stays free: rewound cursors name it.
	if n >= 1<<slotBits-1 || r.LogIndex >= 1<<slotBits || r.SubIndex >= 1<<slotBits {
		return fmt.Errorf("block %d: more than 2^%d records or logs", number, slotBits)
	}
	pos := firstIn(number) | int64(n)
	id := t.writer.contracts[r.Contract]
	t.writer.counters.add(r, pos, id, 1)
	t.record.set(r, pos, id)
	if r.Kind == nft.Burn {
		return t.burns.add(ctx, &t.record.burn)
	}
	return t.mints.add(ctx, &t.record.mint)
}

func (t *tables) addRejected(ctx context.Context, number uint64, r *nft.Rejected) error {
	if r.Log.Index >= 1<<slotBits {
		return fmt.Errorf("block %d: log index %d: want less than 2^%d", number, r.Log.Index, slotBits)
	}
	topics := make([]byte, 0, 32*len(r.Log.Topics))
	for _, topic := range r.Log.Topics {
		topics = append(topics, topic[:]...)
	}
	data := r.Log.Data
	if data == nil {
		data = []byte{}
	}
	return t.rejected.add(ctx, &ent.RejectedLog{
		ID: firstIn(number) | int64(r.Log.Index), Address: r.Log.Address, TxHash: r.Log.TxHash, Topics: topics, Data: data, Reason: r.Reason,
	})
}

// nameContracts makes sure that each contract of the blocks has a number, and
// notes the shapes of its events.
func (w *writer) nameContracts(ctx context.Context, blocks []nft.Block) error {
	shapes := map[evm.Address]int8{}
	// In the order of their records, so that the same blocks give the same rows.
	var order []evm.Address
	for i := range blocks {
		for _, records := range [][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for n := range records {
				shape, address := int8(shape721), records[n].Contract
				if records[n].Type == nft.ERC1155 {
					shape = shape1155
				}
				if shapes[address] == 0 {
					order = append(order, address)
				}
				shapes[address] |= shape
			}
		}
	}
	for _, address := range order {
		if err := w.nameContract(ctx, address, shapes[address]); err != nil {
			return fmt.Errorf("storing contract %s: %w", address, err)
		}
	}
	return nil
}

func (w *writer) nameContract(ctx context.Context, address evm.Address, shapes int8) error {
	client := w.store.client(w.tx).Contract
	row, err := client.Query().Where(contract.Address(address)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
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
