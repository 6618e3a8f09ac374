package write

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entchange "mintburn/ent/change"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/change"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/tables"
)

// Tx is one writing transaction.
type Tx struct {
	*database.Tx
	DB     *DB
	client *ent.Client
	// applied counts the stored blocks and records.
	applied Applied
	// Contracts are the ids that this transaction looked up or created.
	Contracts map[evm.Address]int64
	// Counters are the counter trees. While loading, nothing changes them.
	Counters *counter.Trees
	Counts   counts
	// Log has the changes for readers of the change feed.
	Log change.Log
	// loading means that indexes and counters are built later, see load.go.
	loading bool
	// fall is the setting [tables.TimesFall], nil if times do not fall.
	fall *uint64
	// last is the setting [tables.LastCommit]. leads is set under the lease.
	last  string
	leads bool
}

// Applied is the result of [DB.Apply].
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

// Write runs f in a writing transaction; see [database.DB.Write]. It fails if another
// process holds the lease. If [Options.Patient] is set, f may run several times.
func (s *DB) Write(ctx context.Context, f func(context.Context, *Tx) error) error {
	mark := ""
	return s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		if mark != "" && mark == w.last {
			return errCommitted
		}
		epoch, err := s.lease.Require(ctx, w.Tx)
		if err == nil {
			w.leads = true
			err = w.continueLast(ctx, epoch)
		}
		if err == nil {
			err = f(ctx, w)
		}
		if err != nil {
			return err
		}
		mark = rand.Text()
		// If the commit returns an error, it may have succeeded all the same.
		s.last = commit{}
		w.OnCommit(func() { s.last = commit{epoch, mark} })
		return errors.Join(tables.SetText(ctx, w.client, tables.LastCommit, mark), s.lease.Renew(ctx, w.Tx))
	})
}

// continueLast checks that the last commit under the lease is that of this process.
// Otherwise it begins a new history and reads the counter trees again.
func (w *Tx) continueLast(ctx context.Context, epoch int64) error {
	s := w.DB
	if w.last != "" && s.last == (commit{epoch, w.last}) {
		return nil
	}
	s.last = commit{}
	if err := tables.NewHistory(ctx, w.client); err != nil {
		return err
	}
	clear(s.trees)
	root := counter.Key(nil, 0, 0)
	roots := w.Builder().Select(entcounter.FieldID).From(entsql.Table(entcounter.Table)).Where(entsql.P(func(b *entsql.Builder) {
		b.WriteString(fmt.Sprintf("substr(%[1]s, length(%[1]s) - %[2]d) = ", entcounter.FieldID, len(root)-1)).Arg(root)
	}))
	err := w.Query(ctx, roots, func(row *database.Row) error {
		scope, _, _, _ := counter.ParseKey(row.Bytes())
		s.trees[string(scope)] = struct{}{}
		return row.Err()
	})
	return database.Wrap(err, "reading counters")
}

// WriteWithoutLease is Write without the lease, for changes that are correct no matter which
// process holds it. They must also be correct if f runs again after a commit.
func (s *DB) WriteWithoutLease(ctx context.Context, f func(context.Context, *Tx) error) error {
	return repeat(ctx, s, func(ctx context.Context, tx *database.Tx) error {
		w := &Tx{Tx: tx, DB: s, client: ent.NewClient(ent.Driver(tx.Driver())), Contracts: map[evm.Address]int64{}, Counts: newCounts()}
		rows := derive.NewCounterRows(w.Tx, w.client, s.Queries)
		w.Counters = counter.New(rows, s.trees)
		if err := w.begin(ctx); err != nil {
			return err
		}
		rows.Single = w.loading
		if err := f(ctx, w); err != nil {
			return err
		}
		tx.OnCommit(func() {
			for scope, has := range w.Counters.Changed() {
				if s.trees[scope] = struct{}{}; !has {
					delete(s.trees, scope)
				}
			}
		})
		return errors.Join(w.Counters.Flush(ctx), w.Counts.flush(ctx, tx, w.client, w.loading), w.Log.Flush(ctx, tx, w.client, s.keepChanges))
	})
}

// begin reads the state that other processes may have changed: the schema, whether a load
// is running, the last commit, and the end of the log of changes. An incompatible migration cannot
// commit before the transaction ends.
func (w *Tx) begin(ctx context.Context) (err error) {
	// One statement, because each costs a round trip.
	builder := w.Builder()
	settings := builder.Select(setting.FieldID, setting.FieldValue).AppendSelectExpr(entsql.Raw("0, 0, 0")).From(entsql.Table(setting.Table)).
		Where(entsql.In(setting.FieldID, tables.PendingIndexes, tables.CompatibleFrom, tables.Copying, tables.TimesFall, tables.LastCommit, tables.TraitsCounted, tables.TraitIndex))
	newest := builder.Select().AppendSelectExpr(entsql.Raw("'', ''")).AppendSelect(entchange.FieldID, entchange.FieldTop, entchange.FieldFinal).From(entsql.Table(entchange.Table)).
		Where(entsql.EQ(entchange.FieldID, builder.Select(entsql.Max(entchange.FieldID)).From(entsql.Table(entchange.Table))))
	read := func(row *database.Row) error {
		id, value, at := row.Text(), row.Text(), ent.Change{ID: row.Int64(), Top: row.Int64(), Final: row.Int64()}
		switch id {
		case "":
			w.Log.Before = at
		case tables.PendingIndexes:
			w.loading = true
		case tables.CompatibleFrom:
			err = errors.Join(err, tables.CheckCompatible(value, w.DB.Schema().Known))
		case tables.Copying:
			if !w.DB.copies {
				err = errors.Join(err, &database.SchemaError{Copying: true})
			}
		case tables.TimesFall:
			err = errors.Join(err, json.Unmarshal([]byte(value), &w.fall))
		case tables.LastCommit:
			w.last = value
		case tables.TraitsCounted:
			err = errors.Join(err, json.Unmarshal([]byte(value), &w.Counts.Traits.Counted))
		case tables.TraitIndex:
			err = errors.Join(err, json.Unmarshal([]byte(value), &w.Counts.Traits.Index))
		}
		return row.Err()
	}
	failed := w.Query(ctx, settings.UnionAll(newest), read)
	return errors.Join(err, database.Wrap(failed, "reading settings"))
}
