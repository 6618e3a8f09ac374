package read

import (
	"context"
	"encoding/json"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// timeBlocks are the blocks around a range of times, and the settings that concern times.
type timeBlocks struct {
	// Fall is the lowest block that is earlier than a block before it, or "".
	Fall      string
	Finalized *evm.Header
	// Before is the last stored block before the first time, and since the first stored
	// block not before it. after is the first stored block after the last time.
	Before, Since, After *uint64
}

// Times finds the blocks around a range of times, with one statement. A nil time is no
// bound.
func Times(ctx context.Context, s *Snapshot, from, to *evm.Long) (found timeBlocks, err error) {
	first, last := int64(0), int64(evm.MaxLong)
	if from != nil {
		first = int64(*from)
	}
	if to != nil {
		last = int64(*to)
	}
	var finalized string
	_, err = s.Cached(ctx, query.Key{Name: "times"}, func(*ent.Client) entsql.Querier { return selectTimes(s.DB.Database.Dialect()) }, []any{first, first, last}, func(row *database.Row) error {
		for _, text := range []*string{&found.Fall, &finalized} {
			if !row.Null() {
				*text = row.Text()
			}
		}
		for _, number := range []**uint64{&found.Before, &found.Since, &found.After} {
			if !row.Null() {
				n := row.Unsigned(tables.MaxBlock)
				*number = &n
			}
		}
		return row.Err()
	})
	if err == nil && finalized != "" {
		err = json.Unmarshal([]byte(finalized), &found.Finalized)
	}
	return found, database.Wrap(err, "reading the times of blocks")
}

// selectTimes builds the statement of Times.
func selectTimes(name string) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(name)
		value := func(name string) {
			b.WriteString("(SELECT " + setting.FieldValue + " FROM " + setting.Table + " WHERE " + setting.FieldID + " = '" + name + "'), ")
		}
		b.WriteString("SELECT ")
		value(tables.TimesFall)
		value(tables.Finalized)
		for i, op := range [...]string{"<", ">=", ">"} {
			if i > 0 {
				b.Comma()
			}
			b.Wrap(func(b *entsql.Builder) { query.SeekTime(b, op, func() { b.Arg(0) }) })
		}
	})
}
