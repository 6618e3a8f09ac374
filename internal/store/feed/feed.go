package feed

import (
	"context"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

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
// INVALID_CURSOR, CHANGES_EXPIRED, REPLICA_BEHIND, NOT_FOUND or QUERY_TOO_COSTLY.
func Read(ctx context.Context, s *store.Snapshot, f Filter, after *string, limit int, texts read.Texts) (*Batch, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if most := s.DB.MaxPageSize(); limit < 0 || limit > most {
		return nil, apierror.Errorf(apierror.BadUserInput, "first: got %d, want 0 to %d", limit, most)
	}
	r := &reader{Snapshot: s.Snapshot, filter: f, records: f.records(), fingerprint: f.fingerprint(), limit: limit, texts: texts}
	var err error
	if after != nil {
		if r.place, err = parse(*after, r.fingerprint); err != nil {
			return nil, err
		}
	}
	var last ent.Change
	err = r.Tx.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			r.batch.Head, err = head(ctx, r.Snapshot)
		} else {
			last, _, err = change.Row(ctx, r.Snapshot, change.Newest)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if after == nil {
		r.place.from, r.place.seen = last.ID, markOf(last)
	} else if err := r.read(ctx, last); err != nil {
		return nil, err
	}
	r.batch.Cursor = r.place.text(r.fingerprint)
	r.batch.Complete = !r.place.reading()
	r.batch.More = r.place.reading() || r.place.from != last.ID
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

// read reads the batch after its place.
func (r *reader) read(ctx context.Context, last ent.Change) (err error) {
	seen, err := rowOf(ctx, r.Snapshot, r.place.seen, last)
	if err != nil {
		return err
	}
	if r.from = seen; r.place.from != seen.ID {
		if r.from, err = earlier(ctx, r.Snapshot, r.place.from); err != nil {
			return err
		}
	}
	r.place.seen = markOf(last)
	upTo := last
	if r.place.reading() && r.place.upTo != last.ID {
		upTo, err = earlier(ctx, r.Snapshot, r.place.upTo)
	}
	if err != nil || upTo.ID == r.from.ID {
		return err
	}
	if r.effect, err = change.Since(ctx, r.Snapshot, r.from, upTo); err != nil {
		return err
	}
	r.place.upTo = r.effect.UpTo.ID
	for _, part := range [...]func(context.Context) (bool, error){r.readVoids, r.readRecords, r.readDocuments, r.readFinal} {
		if whole, err := part(ctx); err != nil || !whole {
			return err
		}
	}
	r.place = place{from: r.effect.UpTo.ID, seen: r.place.seen}
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
	return r.emit(Change{Kind: Finalized, Block: h}, place{from: r.effect.UpTo.ID, seen: r.place.seen}), nil
}
