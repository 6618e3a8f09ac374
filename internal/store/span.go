package store

import (
	"context"
	"encoding/json"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// span is the blocks that the range of a filter has: its block numbers, times and
// finality together.
//
// A time becomes a block. The blocks from fromTime on are those after the last stored
// block that is earlier; those up to toTime are those before the first stored block that
// is later. In between may be blocks without a stored header, which hold no records, and
// holes: a hole whose blocks may have such a time is within the span, and the rule of
// ranges decides. docs/api.md#empty-or-unknown.
type span struct {
	// from and to are the first and the last block, inclusive; nil is no bound.
	from, to *evm.Long
	// before and after are the stored blocks that bound the times, nil for those that no
	// time bounds.
	before, after *uint64
	// nothing says that no block, indexed or not, can be in the span.
	nothing bool
}

// times are the other bounds of a filter's range: times in Unix seconds, nil for none,
// and whether it ends with the finalized block.
type times struct {
	from, to  *evm.Long
	finalized bool
	// partial says that a range which begins after all that is known is empty.
	partial bool
}

// narrow narrows a span. Its errors have the codes BAD_USER_INPUT, where times fall, and
// BLOCK_NOT_INDEXED, where the span begins after all that is known.
func (r *span) narrow(ctx context.Context, s *Snapshot, t times) error {
	found, err := readTimes(ctx, s, t.from, t.to)
	switch {
	case err != nil:
		return err
	case (t.from != nil || t.to != nil) && found.fall != "":
		return timesFall("fromTime and toTime", found.fall)
	}
	if t.from != nil {
		first := uint64(0)
		if r.before = found.before; r.before != nil {
			first = *r.before + 1
		}
		r.from = later(r.from, first)
	}
	if r.after = found.after; r.after != nil {
		if r.nothing = *r.after == 0; !r.nothing {
			r.to = earlier(r.to, *r.after-1)
		}
	}
	if r.nothing = r.nothing || r.from != nil && r.to != nil && *r.from > *r.to; r.nothing {
		return nil
	}
	if t.from != nil && found.since == nil && !t.partial {
		return afterAll(ctx, s, fmt.Sprintf("no block with the time %d or a later one is indexed", *t.from))
	}
	if !t.finalized {
		return nil
	}
	if found.finalized == nil {
		return afterAll(ctx, s, "no finalized block is known")
	}
	r.to = earlier(r.to, found.finalized.Number)
	if r.nothing = r.from != nil && *r.from > *r.to; r.nothing && !t.partial {
		return afterAll(ctx, s, fmt.Sprintf("block %d is not finalized: the finalized block is %d", *r.from, found.finalized.Number))
	}
	return nil
}

// timesFall is the error of a question by time where a block is earlier than one before it.
func timesFall(what, fall string) error {
	return nft.Errorf(nft.BadUserInput, "%s: the times of this chain fall: block %s is earlier than a block before it: want fromBlock and toBlock", what, fall)
}

// later and earlier narrow a bound, if there is one.
func later(bound *evm.Long, number uint64) *evm.Long {
	if bound != nil && uint64(*bound) >= number {
		return bound
	}
	n := evm.Long(number)
	return &n
}

func earlier(bound *evm.Long, number uint64) *evm.Long {
	if bound != nil && uint64(*bound) <= number {
		return bound
	}
	n := evm.Long(number)
	return &n
}

// afterAll is the error of a span that begins after all that is known.
func afterAll(ctx context.Context, s *Snapshot, what string) error {
	ranges, err := tables.Ranges(ctx, s.client(), coverage.KindIndexed)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		what = "nothing is indexed yet"
	}
	return notIndexed(what, ranges, nil)
}

// seen is what a snapshot says of times.
type seen struct {
	// fall is the lowest block that is earlier than one before it, or "".
	fall      string
	finalized *evm.Header
	// before is the last stored block before the first time, since the first one after
	// that; after is the first stored block after the last time.
	before, since, after *uint64
}

// readTimes seeks the blocks around times, with one statement. A nil time bounds nothing.
func readTimes(ctx context.Context, s *Snapshot, from, to *evm.Long) (found seen, err error) {
	first, last := int64(0), int64(evm.MaxLong)
	if from != nil {
		first = int64(*from)
	}
	if to != nil {
		last = int64(*to)
	}
	var finalized string
	_, err = s.cached(ctx, statementKey{name: "times"}, func(*ent.Client) entsql.Querier { return selectTimes(s.store.db.Dialect()) }, []any{first, first, last}, func(row *database.Row) error {
		for _, text := range []*string{&found.fall, &finalized} {
			if !row.Null() {
				*text = row.Text()
			}
		}
		for _, number := range []**uint64{&found.before, &found.since, &found.after} {
			if !row.Null() {
				n := row.Unsigned(MaxBlock)
				*number = &n
			}
		}
		return row.Err()
	})
	if err == nil && finalized != "" {
		err = json.Unmarshal([]byte(finalized), &found.finalized)
	}
	return found, database.Wrap(err, "reading the times of blocks")
}

// selectTimes builds the statement of readTimes.
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
			b.Wrap(func(b *entsql.Builder) { seekTime(b, op, func() { b.Arg(0) }) })
		}
	})
}

// seekTime writes the query of the last stored block before a time (<), or of the first
// one from it on (>=) or after it (>).
func seekTime(b *entsql.Builder, op string, time func()) {
	b.WriteString("SELECT " + block.FieldID + " FROM " + block.Table + " WHERE " + block.FieldTime + " " + op + " ")
	time()
	order := ""
	if op == "<" {
		order = " DESC"
	}
	b.WriteString(" ORDER BY " + block.FieldTime + order + ", " + block.FieldID + order + " LIMIT 1")
}
