package feed

import (
	"context"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Kind is what a change is.
type Kind string

// The kinds; the values are those of the GraphQL enum ChangeKind.
const (
	Added     Kind = "ADDED"     // a record was added
	Voided    Kind = "VOIDED"    // blocks became void
	Finalized Kind = "FINALIZED" // blocks became final
	Metadata  Kind = "METADATA"  // a token's document was stored, or is gone
)

// Cause is why blocks became void.
type Cause change.Cause

// The causes.
const (
	Reorg    = Cause(change.Reorg)
	Repair   = Cause(change.Repair)
	Redecode = Cause(change.Redecode)
)

// Change is one change. Only the fields of its kind are set.
type Change struct {
	Kind Kind
	// Cursor continues after the change.
	Cursor string
	// Page has the added record at Item.
	Page *store.RecordPage
	Item int
	// Blocks are void because of Cause.
	Blocks evm.Range
	Cause  Cause
	// Block is the last final block.
	Block evm.Header
	// Token is the token whose Document changed, nil if it has none.
	Token    nft.TokenKey
	Document *store.TokenMetadata
}

// Batch is a part of the feed.
type Batch struct {
	Changes []Change
	// Cursor continues after the batch. It is also set without changes.
	Cursor string
	// More reports whether more changes are known. A batch may be empty even so.
	More bool
	// Complete reports whether the net effect of the rows of the log that the batches read is
	// delivered. The next batch begins with the void blocks of later rows, if More is set.
	Complete bool
	// Head is the last indexed block, nil if there is none.
	Head *evm.Header
}

// Bounds of a batch, in changes: the maximum of one that is pushed, and the default of one that is
// not.
const (
	MaxBatch     = apierror.DefaultChanges
	DefaultBatch = apierror.DefaultChanges
)

// Mark is the state of the log: the number of its last row and that row's nonce. Equal marks are
// the same state, of the same history of the database.
type Mark struct{ Number, Nonce int64 }

func markOf(row ent.Change) Mark { return Mark{row.ID, row.Nonce} }

// Last returns the mark of the log at the time of the call, in one statement.
func Last(ctx context.Context, s *read.DB) (m Mark, err error) {
	var row ent.Change
	text, args := change.Select(s, change.Newest)
	err = s.Database.Query(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return markOf(row), database.Wrap(err, "reading the log of changes")
}

// Read returns at most limit changes after a cursor; nil means now, without changes. In a batch
// come first the void blocks, then the records in chain order, the documents, and the last final
// block. If blocks became void, the document of its token follows each added mint, because a
// reader has dropped the documents of tokens whose mints are void. The documents have the texts
// that texts selects.
//
// Besides internal errors Read returns an [apierror.Error] with the code BAD_USER_INPUT,
// INVALID_CURSOR, CHANGES_EXPIRED, NOT_FOUND or QUERY_TOO_COSTLY.
func Read(ctx context.Context, s *store.Snapshot, f Filter, after *string, limit int, texts read.Texts) (*Batch, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if most := s.DB.MaxPageSize(); limit < 0 || limit > most {
		return nil, apierror.Errorf(apierror.BadUserInput, "first: got %d, want 0 to %d", limit, most)
	}
	r := &reader{Snapshot: s.Snapshot, filter: f, fingerprint: f.fingerprint(), limit: limit, texts: texts}
	var err error
	if after != nil {
		if r.place, err = parse(*after, r.fingerprint); err != nil {
			return nil, err
		}
	}
	if r.batch.Head, err = head(ctx, r.Snapshot); err != nil {
		return nil, err
	}
	last, _, err := change.Row(ctx, r.Snapshot, change.Newest)
	if err != nil {
		return nil, err
	}
	if after == nil {
		r.place.from = markOf(last)
	} else if err := r.read(ctx, last); err != nil {
		return nil, err
	}
	r.batch.Cursor = r.place.text(r.fingerprint)
	r.batch.Complete = !r.place.reading()
	r.batch.More = r.place.reading() || r.place.from != markOf(last)
	return &r.batch, nil
}

// head returns the last indexed block.
func head(ctx context.Context, s *read.Snapshot) (*evm.Header, error) {
	r, found, err := tables.RangeBelow(ctx, s.Client(), coverage.KindIndexed, tables.MaxBlock)
	if err != nil || !found {
		return nil, err
	}
	h, found, err := read.Header(ctx, s, r.To)
	if !found {
		return nil, err
	}
	return &h, err
}

// reader reads one batch.
type reader struct {
	*read.Snapshot
	filter      Filter
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

// read reads the batch after its place.
func (r *reader) read(ctx context.Context, last ent.Change) (err error) {
	if r.from, err = rowOf(ctx, r.Snapshot, r.place.from, last); err != nil {
		return err
	}
	upTo := last
	if r.place.reading() {
		upTo, err = rowOf(ctx, r.Snapshot, r.place.upTo, last)
	}
	if err != nil || upTo.ID == r.from.ID {
		return err
	}
	if r.effect, err = change.Since(ctx, r.Snapshot, r.from, upTo); err != nil {
		return err
	}
	r.place.upTo = markOf(r.effect.UpTo)
	for _, part := range [...]func(context.Context) (bool, error){r.readVoids, r.readRecords, r.readDocuments, r.readFinal} {
		if whole, err := part(ctx); err != nil || !whole {
			return err
		}
	}
	r.place = place{from: markOf(r.effect.UpTo)}
	return nil
}

// readVoids adds the void blocks, and reports whether all were added.
func (r *reader) readVoids(context.Context) (whole bool, err error) {
	if r.place.stage > voids {
		return true, nil
	}
	for next := r.place; r.filter.wants(Voided) && next.a < int64(len(r.effect.Voids)); {
		void := r.effect.Voids[next.a]
		next.a++
		if !r.emit(Change{Kind: Voided, Blocks: void.Blocks, Cause: Cause(void.Cause)}, next) {
			return false, nil
		}
	}
	r.place.stage, r.place.a, r.place.b = records, -1, -1
	return true, nil
}

// readFinal adds the last final block, if it changed.
func (r *reader) readFinal(ctx context.Context) (whole bool, err error) {
	final := r.effect.UpTo.Final
	if final < 0 || final == r.from.Final || !r.filter.wants(Finalized) {
		return true, nil
	}
	h, found, err := tables.LastHeader(ctx, r.Client(), evm.Range{To: uint64(final)})
	if err != nil || !found {
		return true, err
	}
	return r.emit(Change{Kind: Finalized, Block: h}, place{from: markOf(r.effect.UpTo)}), nil
}
