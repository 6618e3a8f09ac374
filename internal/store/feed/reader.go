package feed

import (
	"mintburn/ent"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/read"
)

// reader reads one batch.
type reader struct {
	*read.Snapshot
	filter      Filter
	lists       *store.Lists
	fingerprint uint64
	limit       int
	texts       read.Texts
	batch       Batch
	// place is where the batch ends so far.
	place place
	// from is the row from which it reads, effect what has changed since.
	from   ent.Change
	effect change.Effect
	// statements counts the statements that may return nothing of the batch.
	statements int
}

// maxStatements bounds the statements that may find nothing, and maxScanned the rows that one of
// them reads for changes that a filter leaves out.
const maxStatements, maxScanned = 64, 1000

// emit adds a change after which the feed continues at next, unless the batch is full.
func (r *reader) emit(c Change, next place) bool {
	if len(r.batch.Changes) == r.limit {
		return false
	}
	r.place = next
	c.Cursor = next.text(r.fingerprint)
	r.batch.Changes = append(r.batch.Changes, c)
	return true
}
