package store

import (
	"context"
	"fmt"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/nft"
)

// tables are those that new blocks are written to.
type tables struct {
	writer                          *writer
	headers, mints, burns, rejected *inserter
}

// tables returns inserters whose runs take gets.
func (w *writer) tables(take func(context.Context, run) error) *tables {
	return &tables{
		writer:  w,
		headers: w.inserter(take, block.Table, block.FieldID, block.FieldHashHead, block.FieldHashTail, block.FieldParentHash, block.FieldTime),
		mints:   w.inserter(take, mint.Table, columns...),
		burns:   w.inserter(take, burn.Table, append(append([]string{}, columns...), burn.FieldBurnAddress)...),
		rejected: w.inserter(take, rejectedlog.Table, rejectedlog.FieldID, rejectedlog.FieldAddress, rejectedlog.FieldTxHash,
			rejectedlog.FieldTopics, rejectedlog.FieldData, rejectedlog.FieldReason),
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
	h := b.Header
	var parent any
	if !h.ParentHash.IsZero() {
		parent = h.ParentHash[:]
	}
	if err := t.headers.add(ctx, int64(h.Number), h.Hash.Head(), h.Hash.Tail(), parent, int64(h.Time)); err != nil {
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
	account, into := r.To, t.mints
	if r.Kind == nft.Burn {
		account, into = r.From, t.burns
	}
	var operator, burnAddress any
	if r.Type == nft.ERC1155 {
		operator = r.Operator[:]
	}
	args := []any{pos, id, r.TokenID.Bytes(), r.TxHash.Head(), r.TxHash.Tail(), account.Head(), account.Tail(),
		r.Amount.Bytes(), int64(r.LogIndex), int64(r.SubIndex), operator}
	if r.Kind == nft.Burn {
		if !r.To.IsZero() {
			burnAddress = r.To[:]
		}
		args = append(args, burnAddress)
	}
	return into.add(ctx, args...)
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
	return t.rejected.add(ctx, firstIn(number)|int64(r.Log.Index), r.Log.Address[:], r.Log.TxHash[:], topics, data, r.Reason)
}
