package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/store"
	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestBackup_WhileOthersWrite checks copies made while blocks are stored: they contain only
// whole blocks, pass a check, and accept the next blocks.
func TestBackup_WhileOthersWrite(t *testing.T) {
	t.Parallel()
	skipShort(t)
	blocks := branch(1, 1, 100, blockHash(1, 99), 120, between(6, 0))
	dsn := storetest.SQLite(t)
	s := open(t, dsn, write.Options{})
	apply(t, s, blocks[:10])
	stored := make(chan error)
	go func() {
		for i := 10; i < 60; i++ {
			if _, err := s.Apply(t.Context(), blocks[i:i+1]); err != nil {
				stored <- err
				return
			}
		}
		stored <- nil
	}()
	folder := t.TempDir()
	for _, name := range []string{"one.db", "another.db", "sqlite://" + folder + "/third.db"} {
		file := name
		if !strings.HasPrefix(name, "sqlite:") {
			file = filepath.Join(folder, name)
		}
		expect.NoError(t, write.Backup(t.Context(), dsn, file))
		back := open(t, file, write.Options{Options: database.Options{Existing: true}})
		wantClean(t, name, back)
		held := uint64(0)
		each(t, back, func(snap *store.Snapshot) {
			chain, err := snap.Chain(t.Context())
			expect.NoError(t, err)
			held = chain.Head.Number
		})
		take(t, back, leases.Options{Holder: "the next one"})
		apply(t, back, blocks[held-99:])
		wantClean(t, name, back)
	}
	expect.NoError(t, <-stored)
	files, err := os.ReadDir(folder)
	expect.NoError(t, err)
	for _, f := range files {
		if strings.Contains(f.Name(), "partial") {
			t.Errorf("%s is left", f.Name())
		}
	}
}

// TestBackup_ReplacesNothing checks that a copy replaces no file, and that it is not
// created next to a leftover SQLite log, which would become part of it.
func TestBackup_ReplacesNothing(t *testing.T) {
	t.Parallel()
	dsn := storetest.SQLite(t)
	apply(t, open(t, dsn, write.Options{}), branch(1, 1, 100, blockHash(1, 99), 3, between(6, 0)))
	for _, there := range []string{"", "-wal", "-shm", "-journal"} {
		file := filepath.Join(t.TempDir(), "copy.db")
		expect.NoError(t, os.WriteFile(file+there, []byte("mine"), 0o600))
		if err := write.Backup(t.Context(), dsn, file); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s exists: error %v", there, err)
		}
		kept, err := os.ReadFile(file + there)
		expect.NoError(t, err)
		expect.Equal(t, "content", "mine", string(kept))
		if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
			t.Errorf("%d files, error %v", len(files), err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	folder := t.TempDir()
	if err := write.Backup(stopped, dsn, filepath.Join(folder, "copy.db")); err == nil {
		t.Error("got no error from a stopped backup")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("%d files are left, error %v", len(files), err)
	}
}
