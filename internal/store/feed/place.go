package feed

import (
	"context"
	"encoding/binary"

	"mintburn/ent"
	"mintburn/internal/apierror"
	"mintburn/internal/store/change"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/read"
)

// stage is a part of a batch, in their order.
type stage byte

const (
	voids     stage = iota // a is the number of void ranges that were delivered
	records                // a and b are the positions of the last mint and burn
	recorded               // as records, but the document of the mint at a follows
	documents              // a and b are the number of the log and the row of the last document
)

// place is a position in the feed: everything up to the row from of the log was delivered and, if
// upTo is not 0, what follows up to that row in part. Its text is a [cursor.Cursor].
type place struct {
	from, upTo int64
	// seen is the newest state that was read. Records are delivered as they are then, so a database
	// that has lost it has lost what makes them void.
	seen  Mark
	stage stage
	a, b  int64
}

// reading reports whether the place is within a batch of changes.
func (p *place) reading() bool { return p.upTo != 0 }

// text returns the cursor of the place. filter is the filter's fingerprint. A place at which
// everything that was read was delivered belongs to every filter, and has its mark alone.
func (p *place) text(filter uint64) string {
	numbers := []int64{p.seen.Number, p.seen.Nonce}
	if p.reading() || p.from != p.seen.Number {
		numbers = append(numbers, p.from, p.upTo, p.a, p.b)
	} else {
		filter = everyFilter
	}
	key := make([]byte, 0, 49)
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint64(key, uint64(n))
	}
	if len(numbers) > 2 {
		key = append(key, byte(p.stage))
	}
	return (&cursor.Cursor{Page: 1, Key: key, Fingerprint: filter}).String()
}

var everyFilter = cursor.Fingerprint([]byte("every change"))

var errCursor = apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that changes returned, with the same filters unless more was false")

// parse returns the place of a cursor.
func parse(text string, filter uint64) (p place, err error) {
	c, err := cursor.Parse(&text)
	if err != nil {
		return p, err
	}
	n := len(c.Key)
	switch {
	case n == 16 && c.Fingerprint == everyFilter:
	case n == 49 && c.Fingerprint == filter && c.Key[48] <= byte(documents):
	default:
		return p, errCursor
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(c.Key[8*i:])) }
	p.seen = Mark{at(0), at(1)}
	if p.from = p.seen.Number; n == 49 {
		p.from, p.upTo, p.a, p.b, p.stage = at(2), at(3), at(4), at(5), stage(c.Key[48])
	}
	if p.stage == voids && p.a < 0 {
		return p, errCursor
	}
	return p, nil
}

// rowOf returns the row of the log with a mark, if the database still has it.
func rowOf(ctx context.Context, s *read.Snapshot, m Mark, last ent.Change) (ent.Change, error) {
	row, found, err := change.Row(ctx, s, m.Number)
	if err != nil || found && row.Nonce == m.Nonce {
		return row, err
	}
	if m.Number > last.ID {
		return row, read.Behind(ctx, s, errExpired)
	}
	return row, errExpired
}

// earlier returns a row of the log, if the database still has it, in a history of which it has a
// later mark.
func earlier(ctx context.Context, s *read.Snapshot, number int64) (ent.Change, error) {
	row, found, err := change.Row(ctx, s, number)
	if err == nil && !found {
		err = errExpired
	}
	return row, err
}

var errExpired = apierror.Errorf(apierror.ChangesExpired, "the log of changes does not reach back to this cursor, or the database has lost commits since: start again from an export, and from the cursor that changes returned without after before the export")
