package change

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/change"
	"mintburn/ent/changeevent"
	"mintburn/internal/database"
	"mintburn/internal/evm"
)

// Log collects the changes of one writing transaction.
type Log struct {
	// Before is the row before the last of rows: at first, the last of the database, without its nonce
	// and time.
	Before ent.Change
	// rows are the rows of this transaction. Each has an event or none.
	rows []row
	// documents is set if documents have the number of the first row.
	documents bool
}

type row struct {
	ent.Change
	event *ent.ChangeEvent
}

// begin returns the last row of this transaction, and begins one if there is none.
func (l *Log) begin() *row {
	if len(l.rows) == 0 {
		return l.next(l.Before)
	}
	return &l.rows[len(l.rows)-1]
}

// next begins the row after another.
func (l *Log) next(before ent.Change) *row {
	l.Before = before
	// Not from a seed: two histories must not draw the same nonces.
	next := ent.Change{ID: before.ID + 1, Nonce: rand.Int64(), At: time.Now().Unix(), Top: before.Top, Final: before.Final}
	l.rows = append(l.rows, row{Change: next})
	return &l.rows[len(l.rows)-1]
}

// happened begins an event.
func (l *Log) happened(event changeevent.Event, r evm.Range) *row {
	at := l.begin()
	if at.event != nil || at.Top != l.Before.Top {
		at = l.next(at.Change)
	}
	at.event = &ent.ChangeEvent{ID: at.ID, Event: event, FromBlock: int64(r.From), ToBlock: int64(r.To), TopBefore: l.Before.Top}
	return at
}

// Add notes that the blocks of a range were added: stored for the first time, or found to be
// incomplete and stored completely.
func (l *Log) Add(r evm.Range) {
	at := l.begin()
	if int64(r.From) == at.Top+1 && (at.event == nil || at.event.Event == Reorg) {
		at.Top = int64(r.To)
		return
	}
	at = l.happened(changeevent.EventADDED, r)
	at.Top = max(at.Top, int64(r.To))
}

// Void notes that the records of a range of blocks are void because of a reorg or a repair. Their
// records at the end of the transaction count as added.
func (l *Log) Void(r evm.Range, cause Cause) {
	at := l.happened(cause, r)
	if cause == Reorg {
		// The replacing blocks continue from here.
		at.Top = min(at.Top, int64(r.From)-1)
	}
}

// Raise notes that the blocks up to this one are final.
func (l *Log) Raise(final uint64) {
	at := l.begin()
	at.Final = max(at.Final, int64(final))
}

// Lower notes that the blocks above this one are not final any more.
func (l *Log) Lower(final uint64) {
	at := l.begin()
	at.Final = min(at.Final, int64(final))
}

// Number returns the number of the transaction in the log, for its documents.
func (l *Log) Number() int64 {
	l.begin()
	l.documents = true
	return l.rows[0].ID
}

// pruneEvery is how many rows are stored between two prunings, and pruned how many rows one of
// them removes at most.
const pruneEvery, pruned = 64, 1000

// Flush stores the rows. Now and then it removes rows older than keep, 0 for none, but never the
// newest of them: a reader who has seen everything until then continues from it.
func (l *Log) Flush(ctx context.Context, tx *database.Tx, client *ent.Client, keep time.Duration) error {
	if len(l.rows) == 1 && !l.documents {
		if at := &l.rows[0]; at.event == nil && at.Top == l.Before.Top && at.Final == l.Before.Final {
			return nil
		}
	}
	// A migration stored row 1.
	if len(l.rows) > 0 && l.rows[0].ID == 1 {
		return errors.New("the log of changes has no row")
	}
	for i := range l.rows {
		at := &l.rows[i]
		err := client.Change.Create().SetID(at.ID).SetNonce(at.Nonce).SetAt(at.At).SetTop(at.Top).SetFinal(at.Final).Exec(ctx)
		if e := at.event; err == nil && e != nil {
			err = client.ChangeEvent.Create().SetID(e.ID).SetEvent(e.Event).SetFromBlock(e.FromBlock).SetToBlock(e.ToBlock).
				SetTopBefore(e.TopBefore).SetTop(at.Top).Exec(ctx)
		}
		if err != nil {
			return database.Wrap(err, "storing the log of changes")
		}
		if keep == 0 || at.ID%pruneEvery != 0 {
			continue
		}
		if err := prune(ctx, tx, at.At-int64(keep.Seconds())); err != nil {
			return database.Wrap(err, "pruning the log of changes")
		}
	}
	return nil
}

// prune removes some of the rows of a time before.
func prune(ctx context.Context, tx *database.Tx, before int64) error {
	for _, table := range [...]string{changeevent.Table, change.Table} {
		builder := tx.Builder()
		oldest := builder.Select(change.FieldID, change.FieldAt).From(builder.Table(change.Table)).OrderBy(change.FieldID).Limit(pruned).As("oldest")
		newest := builder.Select().AppendSelect(entsql.Max(oldest.C(change.FieldID))).From(oldest).Where(entsql.LT(oldest.C(change.FieldAt), before))
		if _, err := tx.Exec(ctx, builder.Delete(table).Where(entsql.LT(change.FieldID, newest))); err != nil {
			return err
		}
	}
	return nil
}
