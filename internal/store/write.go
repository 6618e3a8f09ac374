package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// writer is one writing transaction.
type writer struct {
	*database.Tx
	store  *Store
	client *ent.Client
	// applied counts the stored blocks and records.
	applied Applied
	// contracts are the ids that this transaction looked up or created.
	contracts map[evm.Address]int64
	// counters are the counter trees. While loading, nothing changes them.
	counters *counter.Trees
	counts   counts
	// loading means that indexes and counters are built later, see load.go.
	loading bool
	// fall is the setting [tables.TimesFall], nil if times do not fall.
	fall *uint64
	// last is the setting [tables.LastCommit].
	last string
}

// Applied is the result of [Store.Apply].
type Applied struct {
	// Blocks is the number of newly stored blocks, Known that of blocks that were already
	// stored.
	Blocks, Known int
	// Proven is the number of newly stored blocks that count as verified because they
	// were proven.
	Proven int
	// Mints, Burns and Rejected are the numbers of records and rejected logs stored with
	// the blocks.
	Mints, Burns, Rejected int
}

// write runs f in a writing transaction; see [database.DB.Write]. It fails if another
// process holds the lease. If [Options.Patient] is set, f may run several times.
func (s *Store) write(ctx context.Context, f func(context.Context, *writer) error) error {
	mark := ""
	return s.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
		if mark != "" && mark == w.last {
			return errCommitted
		}
		if err := s.lease.Require(ctx, w.Tx); err != nil {
			return err
		}
		if err := f(ctx, w); err != nil {
			return err
		}
		mark = rand.Text()
		return errors.Join(tables.SetText(ctx, w.client, tables.LastCommit, mark), s.lease.Renew(ctx, w.Tx))
	})
}

// writeWithoutLease is write without the lease, for changes that are correct no matter which
// process holds it. They must also be correct if f runs again after a commit.
func (s *Store) writeWithoutLease(ctx context.Context, f func(context.Context, *writer) error) error {
	return s.repeat(ctx, func(ctx context.Context, tx *database.Tx) error {
		w := &writer{Tx: tx, store: s, client: ent.NewClient(ent.Driver(tx.Driver())), contracts: map[evm.Address]int64{}, counts: newCounts()}
		rows := newCounterRows(w.Tx, s.queries)
		w.counters = counter.New(rows, s.trees)
		if err := w.begin(ctx); err != nil {
			return err
		}
		rows.single = w.loading
		if err := f(ctx, w); err != nil {
			return err
		}
		tx.OnCommit(func() {
			for address, id := range w.contracts {
				s.remember(id, address)
			}
			maps.Copy(s.trees, w.counters.Created())
		})
		return errors.Join(w.counters.Flush(ctx), w.counts.flush(ctx, tx, w.client, w.loading))
	})
}

// begin reads the state that other processes may have changed: the schema, whether a load
// is running, and the trees that they created. An incompatible migration cannot commit
// before the transaction ends.
func (w *writer) begin(ctx context.Context) (err error) {
	settings, err := w.client.Setting.Query().Where(setting.IDIn(tables.PendingIndexes, tables.CompatibleFrom, tables.TimesFall, tables.LastCommit)).All(ctx)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	for _, row := range settings {
		switch row.ID {
		case tables.PendingIndexes:
			w.loading = true
		case tables.CompatibleFrom:
			err = errors.Join(err, tables.CheckCompatible(row.Value, w.store.schema.Known))
		case tables.TimesFall:
			err = errors.Join(err, json.Unmarshal([]byte(row.Value), &w.fall))
		case tables.LastCommit:
			w.last = row.Value
		}
	}
	if err != nil {
		return err
	}
	added := entcounter.IDGT(w.store.treesUpTo)
	last, found, err := tables.Found(w.client.Counter.Query().Where(added).Order(entcounter.ByID(entsql.OrderDesc())).FirstID(ctx))
	if err != nil || !found {
		return err
	}
	roots, err := w.client.Counter.Query().Where(entcounter.Level(0), added).Select(entcounter.FieldScope).All(ctx)
	if err != nil {
		return err
	}
	for _, root := range roots {
		w.store.trees[string(root.Scope)] = struct{}{}
	}
	w.store.treesUpTo = last
	return nil
}
