package change

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/change"
	"mintburn/ent/changeevent"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Cause is why blocks became void; the values are those of the GraphQL enum VoidCause.
type Cause = changeevent.Event

// The causes.
const (
	Reorg  = changeevent.EventREORG
	Repair = changeevent.EventREPAIR
	// Redecode is of builds before v0.1.0.
	Redecode = changeevent.EventREDECODE
)

// Void is a range of blocks whose records are void.
type Void struct {
	Blocks evm.Range
	Cause  Cause
}

// Effect is the net effect of some rows of the log.
type Effect struct {
	// Voids are the void blocks, in the order of the log.
	Voids []Void
	// Added are the blocks of which everything stored counts as added, in order.
	Added []evm.Range
	// UpTo is the last row of the effect.
	UpTo ent.Change
}

// Newest is the number of the last row for [Row] and [Select].
const Newest = -1

// Select returns the statement of a row of the log, see [Row].
func Select(s *read.DB, number int64) (text string, args []any) {
	if number == Newest {
		return s.Statement(query.Key{Name: "last change"}, func(client *ent.Client) entsql.Querier {
			return client.Change.Query().Where(change.IDGT(0)).Order(change.ByID(entsql.OrderDesc())).Limit(1).Selector()
		}), []any{0}
	}
	return s.Statement(query.Key{Name: "change"}, func(client *ent.Client) entsql.Querier {
		return client.Change.Query().Where(change.ID(number)).Selector()
	}), []any{number}
}

// Row returns the row of the log with a number, and false if there is none.
func Row(ctx context.Context, s *read.Snapshot, number int64) (row ent.Change, found bool, err error) {
	text, args := Select(s.DB, number)
	found, err = s.Run(ctx, database.Statement{Text: text, Args: args, Read: func(r *database.Row) error { return row.ReadRow(r) }})
	return row, found, database.Wrap(err, "reading the log of changes")
}

// maxEvents bounds the rows with events of an [Effect].
const maxEvents = 10_000

// Since returns the net effect of the rows after one, up to another. If there are too many, it
// stops before.
func Since(ctx context.Context, s *read.Snapshot, from, upTo ent.Change) (e Effect, err error) {
	// top is the top of the row before, up to which the added blocks are known.
	top, events := from.Top, 0
	e.UpTo = upTo
	var row ent.ChangeEvent
	_, err = s.Cached(ctx, query.Key{Name: "change events", Limit: maxEvents}, func(client *ent.Client) entsql.Querier {
		return client.ChangeEvent.Query().Where(changeevent.IDGT(0), changeevent.IDLTE(0)).Order(changeevent.ByID()).Limit(maxEvents).Selector()
	}, []any{from.ID, upTo.ID}, func(r *database.Row) error {
		if err := row.ReadRow(r); err != nil {
			return err
		}
		e.follow(top, row.TopBefore)
		e.event(&row)
		top, events = row.Top, events+1
		return nil
	})
	if err != nil {
		return e, database.Wrap(err, "reading the log of changes")
	}
	if events == maxEvents {
		if e.UpTo, _, err = Row(ctx, s, row.ID); err != nil {
			return e, err
		}
	}
	e.follow(top, e.UpTo.Top)
	return e, nil
}

// follow adds the blocks after one top up to another.
func (e *Effect) follow(top, to int64) {
	if to > top {
		e.Added = evm.Range{From: uint64(top + 1), To: uint64(to)}.Join(e.Added)
	}
}

// event adds an event.
func (e *Effect) event(row *ent.ChangeEvent) {
	r := evm.Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
	if row.Event != changeevent.EventADDED {
		e.Voids = append(e.Voids, Void{r, row.Event})
	}
	if row.Event == Reorg && row.Top > row.ToBlock {
		r.To = uint64(row.Top)
	}
	e.Added = r.Join(e.Added)
}
