package write

import (
	"context"

	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// BindDecoding returns the options that blocks must be decoded with: the given
// ones, completed with the stored ones or the defaults. From then on the store
// saves the options with the first blocks, and returns a [*DecodingError] for new
// blocks if other options are stored. BindDecoding returns such an error if the
// stored options differ from the given ones, or if the blocks have two kinds of options.
//
// A database with blocks but no options was created before options were stored:
// BindDecoding stores them at once, and adopted is true.
func (s Settings) BindDecoding(ctx context.Context, given nft.Decoding) (bound nft.Decoding, adopted bool, err error) {
	err = s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		stored, err := storedDecoding(ctx, w)
		switch {
		case err != nil:
			return err
		case stored != nil:
			if bound = given.Over(*stored); !bound.Equal(*stored) {
				return otherDecoding(*stored, bound)
			}
			return nil
		}
		bound = given.Over(nft.Decoding{})
		if adopted, err = w.client.Coverage.Query().Exist(ctx); err != nil || !adopted {
			return err
		}
		adopted = !s.unstored
		return s.set(ctx, w, tables.Decoding, bound)
	})
	if err != nil {
		return nft.Decoding{}, false, err
	}
	s.store.bound.Store(&binding{bound, s.unstored})
	return bound, adopted, nil
}

// storedDecoding returns the stored options, or nil if there are none. It fails if an earlier
// version has changed the options of some blocks only.
func storedDecoding(ctx context.Context, w *Tx) (stored *nft.Decoding, err error) {
	if _, err = tables.Get(ctx, w.client, tables.Decoding, &stored); err != nil {
		return nil, err
	}
	return stored, checkRedecoded(ctx, w.client)
}

// checkDecoding returns a [*DecodingError] if the stored blocks are decoded with
// options other than the store's. If none are stored yet, it stores the store's.
func checkDecoding(ctx context.Context, w *Tx) error {
	bound := w.DB.bound.Load()
	if bound == nil {
		return nil
	}
	stored, err := storedDecoding(ctx, w)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return Settings{unstored: bound.unstored}.set(ctx, w, tables.Decoding, bound.Decoding)
	case !stored.Equal(bound.Decoding):
		return otherDecoding(*stored, bound.Decoding)
	}
	return nil
}
