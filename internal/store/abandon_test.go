package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mintburn/internal/expect"
	"mintburn/internal/store"
	leases "mintburn/internal/store/lease"
)

// TestAbandon_InUse checks that a process that created a database and gives it up removes
// nothing that another process stored, and not the file of one that is about to store.
func TestAbandon_InUse(t *testing.T) {
	for name, test := range map[string]struct {
		other func(t *testing.T, s *store.Store)
		kept  bool
	}{
		"unused":     {func(*testing.T, *store.Store) {}, false},
		"with block": {func(t *testing.T, s *store.Store) { apply(t, s, few()[:1]) }, true},
		"with lease": {func(t *testing.T, s *store.Store) { take(t, s, leases.Options{Holder: "another"}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new.db")
			first, err := store.Open(t.Context(), path, store.Options{})
			expect.NoError(t, err)
			test.other(t, open(t, path, store.Options{}))
			expect.NoError(t, first.Abandon())
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) == test.kept {
				t.Errorf("%v, want it kept: %t", err, test.kept)
			}
		})
	}
}
