package feed

import (
	"mintburn/ent"
	"mintburn/internal/apierror"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/read"
)

// reader reads one batch.
type reader struct {
	*read.Snapshot
	filter      Filter
	records     store.Filter
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

// maxStatements bounds the statements that may find nothing, and maxRows the rows that one of them
// reads for changes that a filter leaves out.
const maxStatements, maxRows = 64, 1000

// room returns how many rows a statement may read of each of some lists, for changes that the
// filter may leave out. It is 0 once the batch has read as many as it may.
func (r *reader) room(lists int) int {
	return min(maxRows, r.DB.MaxPageSize(), (apierror.MaxScanned-r.batch.Scanned)/lists)
}

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
