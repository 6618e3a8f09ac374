package store_test

import (
	"errors"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// FuzzParseCursor holds that no text panics, that each error has its code,
// and that a cursor has one text only. Half of the inputs are made into
// cursors with a right checksum first: no mutation would find one.
func FuzzParseCursor(f *testing.F) {
	f.Add("", uint64(1), []byte{}, uint64(0), false, uint32(0))
	f.Add("AQEB", uint64(3), make([]byte, 8), uint64(1<<60), true, uint32(7))
	f.Add("!", uint64(1<<54), make([]byte, 33), uint64(5), true, uint32(1))
	f.Fuzz(func(t *testing.T, text string, page uint64, key []byte, fingerprint uint64, anchored bool, anchor uint32) {
		for _, text := range []string{text, store.NewCursor(page, key, fingerprint, anchored, anchor)} {
			again, err := store.ParseCursor(text)
			var refused *nft.Error
			switch {
			case err == nil && again != text:
				t.Errorf("%q is read, but written as %q", text, again)
			case err != nil && (!errors.As(err, &refused) || refused.Code != nft.InvalidCursor):
				t.Errorf("%q: got %v, want the code INVALID_CURSOR", text, err)
			}
		}
		made := store.NewCursor(page, key, fingerprint, anchored, anchor)
		if _, err := store.ParseCursor(made); err != nil && page >= 1 && page <= 1<<53 && len(key) <= 33 {
			t.Errorf("cursor of page %d with a key of %d bytes: %v", page, len(key), err)
		}
	})
}
