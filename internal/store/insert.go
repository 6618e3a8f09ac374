package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"

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

// insert writes the rows of blocks that are not stored yet.
func (w *writer) insert(ctx context.Context, blocks []nft.Block) error {
	if err := w.nameContracts(ctx, blocks); err != nil {
		return err
	}
	headers := w.inserter(block.Table, block.FieldID, block.FieldHashHead, block.FieldHashTail, block.FieldParentHash, block.FieldTime)
	mints := w.inserter(mint.Table, columns...)
	burns := w.inserter(burn.Table, append(append([]string{}, columns...), burn.FieldBurnAddress)...)
	rejected := w.inserter(rejectedlog.Table, rejectedlog.FieldID, rejectedlog.FieldAddress, rejectedlog.FieldTxHash,
		rejectedlog.FieldTopics, rejectedlog.FieldData, rejectedlog.FieldReason)
	for i := range blocks {
		b := &blocks[i]
		h := b.Header
		var parent any
		if !h.ParentHash.IsZero() {
			parent = h.ParentHash[:]
		}
		if err := headers.add(ctx, int64(h.Number), h.Hash.Head(), h.Hash.Tail(), parent, int64(h.Time)); err != nil {
			return err
		}
		for _, records := range [][]nft.Record{b.Mints, b.Burns} {
			for n := range records {
				if err := w.insertRecord(ctx, mints, burns, h.Number, n, &records[n]); err != nil {
					return err
				}
			}
		}
		for _, r := range b.Rejected {
			if r.Log.Index >= 1<<slotBits {
				return fmt.Errorf("block %d: log index %d: want less than 2^%d", h.Number, r.Log.Index, slotBits)
			}
			topics := make([]byte, 0, 32*len(r.Log.Topics))
			for _, topic := range r.Log.Topics {
				topics = append(topics, topic[:]...)
			}
			data := r.Log.Data
			if data == nil {
				data = []byte{}
			}
			if err := rejected.add(ctx, firstIn(h.Number)|int64(r.Log.Index), r.Log.Address[:], r.Log.TxHash[:], topics, data, r.Reason); err != nil {
				return err
			}
		}
		w.applied.Blocks++
		w.applied.Mints += len(b.Mints)
		w.applied.Burns += len(b.Burns)
		w.applied.Rejected += len(b.Rejected)
	}
	for _, ins := range []*inserter{headers, mints, burns, rejected} {
		if err := ins.close(ctx); err != nil {
			return err
		}
	}
	if err := w.unqueue(ctx, blocks); err != nil {
		return err
	}
	return w.storeRefreshes(ctx, blocks)
}

func (w *writer) insertRecord(ctx context.Context, mints, burns *inserter, number uint64, n int, r *nft.Record) error {
	// The last position of a block stays free: rewound cursors name it.
	if n >= 1<<slotBits-1 || r.LogIndex >= 1<<slotBits || r.SubIndex >= 1<<slotBits {
		return fmt.Errorf("block %d: more than 2^%d records or logs", number, slotBits)
	}
	pos := firstIn(number) | int64(n)
	id := w.contracts[r.Contract]
	w.counters.add(r, pos, id, 1)
	account, into := r.To, mints
	if r.Kind == nft.Burn {
		account, into = r.From, burns
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

// inserter collects rows of one table and inserts many with a statement.
type inserter struct {
	writer   *writer
	table    string
	columns  []string
	args     []any
	prepared *sql.Stmt
}

// rowsAtOnce is how many rows one statement inserts: enough to make the cost
// of a call small, few enough for the limits on parameters.
const rowsAtOnce = 32

func (w *writer) inserter(table string, columns ...string) *inserter {
	return &inserter{writer: w, table: table, columns: columns, args: make([]any, 0, rowsAtOnce*len(columns))}
}

func (i *inserter) add(ctx context.Context, args ...any) error {
	i.args = append(i.args, args...)
	if len(i.args) < rowsAtOnce*len(i.columns) {
		return nil
	}
	if i.prepared == nil {
		var err error
		if i.prepared, err = i.writer.tx.PrepareContext(ctx, i.statement(rowsAtOnce)); err != nil {
			return fmt.Errorf("writing %s: %w", i.table, err)
		}
	}
	if _, err := i.prepared.ExecContext(ctx, i.args...); err != nil {
		return fmt.Errorf("writing %s: %w", i.table, err)
	}
	i.args = i.args[:0]
	return nil
}

// close inserts the rest and frees the statement.
func (i *inserter) close(ctx context.Context) error {
	if i.prepared != nil {
		defer i.prepared.Close()
	}
	if len(i.args) == 0 {
		return nil
	}
	if _, err := i.writer.tx.ExecContext(ctx, i.statement(len(i.args)/len(i.columns)), i.args...); err != nil {
		return fmt.Errorf("writing %s: %w", i.table, err)
	}
	i.args = i.args[:0]
	return nil
}

func (i *inserter) statement(rows int) string {
	var b strings.Builder
	verb := "INSERT INTO"
	if i.writer.store.dialect == dialect.SQLite {
		// The default, OR ABORT, makes SQLite copy each page that a statement
		// of many rows touches, to be able to undo the statement alone. A
		// failed statement ends our transaction anyway.
		verb = "INSERT OR ROLLBACK INTO"
	}
	fmt.Fprintf(&b, "%s %s (%s) VALUES ", verb, i.table, strings.Join(i.columns, ", "))
	n := 0
	for row := range rows {
		if row > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('(')
		for c := range i.columns {
			if c > 0 {
				b.WriteString(", ")
			}
			n++
			if i.writer.store.dialect == dialect.Postgres {
				fmt.Fprintf(&b, "$%d", n)
			} else {
				b.WriteByte('?')
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}
