package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestAbandon_InUse checks that a process that created a database and gives it up removes
// nothing that another process stored, and not the file of one that is about to store.
func TestAbandon_InUse(t *testing.T) {
	for name, test := range map[string]struct {
		other func(t *testing.T, s *write.DB)
		kept  bool
	}{
		"unused":     {func(*testing.T, *write.DB) {}, false},
		"with block": {func(t *testing.T, s *write.DB) { apply(t, s, few()[:1]) }, true},
		"with lease": {func(t *testing.T, s *write.DB) { take(t, s, leases.Options{Holder: "another"}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new.db")
			first, err := write.Open(t.Context(), path, write.Options{})
			expect.NoError(t, err)
			test.other(t, open(t, path, write.Options{}))
			expect.NoError(t, first.Abandon())
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) == test.kept {
				t.Errorf("%v, want it kept: %t", err, test.kept)
			}
		})
	}
}
