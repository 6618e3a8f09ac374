package store

import (
	"context"

	"mintburn/internal/store/tables"
)

// BindDecoding returns the options that blocks must be decoded with: the given
// ones, completed with the stored ones or the defaults. From then on the store
// saves the options with the first blocks, and returns a [*DecodingError] for new
// blocks if other options are stored. BindDecoding returns such an error if the
// stored options differ from the given ones, or if a redecode is not finished.
//
// A database with blocks but no options was created before options were stored:
// BindDecoding stores them at once, and adopted is true.
func (s Settings) BindDecoding(ctx context.Context, given Decoding) (bound Decoding, adopted bool, err error) {
	err = s.store.writeWithoutLease(ctx, func(ctx context.Context, w *writer) error {
		stored, unfinished, err := decoding(ctx, w)
		switch {
		case err != nil:
			return err
		case unfinished != nil:
			return unfinished.error()
		case stored != nil:
			if bound = given.over(*stored); !bound.equal(*stored) {
				return otherDecoding(*stored, bound)
			}
			return nil
		}
		bound = given.over(Decoding{})
		if adopted, err = w.client.Coverage.Query().Exist(ctx); err != nil || !adopted {
			return err
		}
		return tables.Set(ctx, w.client, tables.Decoding, bound)
	})
	if err != nil {
		return Decoding{}, false, err
	}
	s.store.bound.Store(&binding{Decoding: bound})
	return bound, adopted, nil
}

// decoding returns the stored options and the unfinished redecode, each nil if
// there is none.
func decoding(ctx context.Context, w *writer) (stored *Decoding, unfinished *redecode, err error) {
	if _, err = tables.Get(ctx, w.client, tables.Decoding, &stored); err == nil {
		_, err = tables.Get(ctx, w.client, tables.Redecoding, &unfinished)
	}
	return stored, unfinished, err
}

// checkDecoding returns a [*DecodingError] if the stored blocks are decoded with
// options other than the store's. If none are stored yet, it stores the store's.
func checkDecoding(ctx context.Context, w *writer) error {
	bound := w.store.bound.Load()
	if bound == nil {
		return nil
	}
	stored, unfinished, err := decoding(ctx, w)
	switch {
	case err != nil:
		return err
	case unfinished != nil && bound.redecodes && unfinished.To.equal(bound.Decoding):
		return nil
	case unfinished != nil:
		return unfinished.error()
	case stored == nil:
		return tables.Set(ctx, w.client, tables.Decoding, bound.Decoding)
	case !stored.equal(bound.Decoding):
		return otherDecoding(*stored, bound.Decoding)
	}
	return nil
}
