package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mintburn/internal/store"
)

// TestOpen_Existing opens what is not a database of ours, which must stay as it is,
// and then one that is.
func TestOpen_Existing(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		if _, err := raw(t, dsn).ExecContext(t.Context(), "CREATE TABLE others (id int)"); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(dsn)
		if _, err := store.Open(t.Context(), dsn, store.Options{Existing: true}); !errors.Is(err, store.ErrNoDatabase) {
			t.Fatalf("another program's database: error %v, want ErrNoDatabase", err)
		}
		if after, _ := os.ReadFile(dsn); !slices.Equal(before, after) {
			t.Error("the file was changed")
		}
		open(t, dsn, store.Options{})
		open(t, dsn, store.Options{Existing: true})
	})
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := store.Open(t.Context(), path, store.Options{Existing: true}); !errors.Is(err, store.ErrNoDatabase) {
		t.Errorf("no file: error %v, want ErrNoDatabase", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was created (%v)", err)
	}
}
