package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestUpdate_SyncFails checks that an update whose n-th write of names to the disk fails keeps the files
// that the manifest names, also if that is the new one already.
func TestUpdate_SyncFails(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
		updated(t, s, folder)
		old, names := manifestRows(t, folder)
		grow(t, s, 18, 30, 2)
		calls := 0
		_, err := export.New(s.DB, ofMints).UpdateSyncing(t.Context(), folder, 10, func(folder string) error {
			if calls++; calls == n {
				return &os.PathError{Op: "open", Path: folder, Err: syscall.EMFILE}
			}
			return nil
		})
		if failed := n > 0; failed != errors.Is(err, syscall.EMFILE) {
			t.Fatalf("call %d fails: got %v", n, err)
		}
		whole, _ := written(t, s, ofMints)
		rows, left := manifestRows(t, folder)
		want := whole
		if n == 1 {
			want = old
			expect.Equal(t, "files", names, left)
		}
		expect.Equal(t, fmt.Sprintf("rows, if call %d fails", n), want, rows)
		updated(t, s, folder)
		rows, left = manifestRows(t, folder)
		expect.Equal(t, "rows of the next update", whole, rows)
		expect.Equal(t, "files of the next update", len(names), len(left))
	}
}

// TestUpdate_FormerName reads a manifest with its former name once, and replaces it.
func TestUpdate_FormerName(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
	updated(t, s, folder)
	_, names := manifestRows(t, folder)
	former := filepath.Join(folder, "manifest.json")
	expect.NoError(t, os.Rename(filepath.Join(folder, "_manifest.json"), former))
	grow(t, s, 40, 3, 1)
	expect.Equal(t, "the former name", export.Update{Rows: 43, Files: 5, Written: 1, Removed: 1}, updated(t, s, folder))
	_, left := manifestRows(t, folder)
	expect.Equal(t, "files", len(names), len(left))
	// A file of another program keeps its name.
	expect.NoError(t, os.WriteFile(former, []byte(`{"name":"x"}`), 0o600))
	updated(t, s, folder)
	if _, err := os.Stat(former); err != nil {
		t.Error(err)
	}
}

// TestUpdate_LeavesTheFilter retracts the finality of blocks whose files are exported.
func TestUpdate_LeavesTheFilter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, dsn string) {
		s, folder := grown(t, dsn), t.TempDir()
		final := func(number uint64) evm.Header {
			return evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: evm.Hash{1, byte(number)}}, Time: 1_700_000_000 + number}
		}
		opts := ofMints
		opts.Filter.Finality = store.Finalized
		update := func() export.Update {
			u, err := export.New(s.DB, opts).Update(t.Context(), folder, 10)
			expect.NoError(t, err)
			return *u
		}
		expect.NoError(t, s.SetFinalized(t.Context(), final(34)))
		expect.Equal(t, "the first", export.Update{Rows: 34, Files: 4, Written: 4}, update())
		expect.NoError(t, s.RetractFinalized(t.Context(), final(34).BlockRef, 25))
		expect.Equal(t, "with fewer final blocks", export.Update{Rows: 25, Files: 3, Written: 1, Removed: 2}, update())
		whole, _ := written(t, s, opts)
		rows, _ := manifestRows(t, folder)
		expect.Equal(t, "rows", whole, rows)
	})
}

// acting is a context that acts once for each new state of the manifest of a folder.
type acting struct {
	context.Context
	folder string
	last   string
	act    func(text []byte)
}

func (c *acting) Err() error {
	text, _ := os.ReadFile(filepath.Join(c.folder, "_manifest.json"))
	if string(text) != c.last {
		c.last = string(text)
		c.act(text)
	}
	return c.Context.Err()
}

// TestUpdate_First exports blocks for the first time while they change. Each file of final blocks has a
// snapshot of its own, and the manifest names it before the next is written. It does so as well after
// an end, and the next update has all rows.
func TestUpdate_First(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, dsn string) {
		for end := range 4 {
			path := dsn
			if end > 0 {
				path = storetest.SQLite(t)
			}
			s, folder := grown(t, path), t.TempDir()
			expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: 32, Hash: evm.Hash{1, 32}}, Time: 1_700_000_032}))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var states []int
			hook := &acting{Context: ctx, folder: folder, act: func(text []byte) {
				var m struct {
					Partial bool
					Rows    int
				}
				if json.Unmarshal(text, &m) != nil || !m.Partial {
					return
				}
				manifestRows(t, folder)
				if states = append(states, m.Rows); len(states) == end {
					stop()
				}
				// A later file has the row as it is then.
				expect.NoError(t, s.Database.Exec(t.Context(), "UPDATE mints SET sub_index = 7 WHERE id >> 30 = 25"))
				// The first snapshot has neither the new blocks nor the other branch.
				grow(t, s, 34, uint64(6+len(states)), byte(2+len(states)))
			}}
			u, err := export.New(s.DB, ofMints).Update(hook, folder, 10)
			switch {
			case end == 0:
				expect.NoError(t, err)
				expect.Equal(t, "states", []int{9, 19, 29}, states)
				if rows, _ := manifestRows(t, folder); strings.Count(rows, `"sub_index":7`) != 1 {
					t.Error("a file of final blocks is of the first snapshot")
				}
				expect.Equal(t, "the first export", export.Update{Rows: 40, Files: 5, Written: 5}, *u)
			case !errors.Is(err, context.Canceled):
				t.Errorf("ended in state %d: got %v", end, err)
			}
			whole, _ := written(t, s, ofMints)
			next := updated(t, s, folder)
			rows, names := manifestRows(t, folder)
			expect.Equal(t, fmt.Sprintf("rows after an end in state %d", end), whole, rows)
			expect.Equal(t, "files", 5+2, len(names))
			if want := 5 - min(3, max(end, len(states))); next.Written != want {
				t.Errorf("ended in state %d: the next update wrote %d files, want %d", end, next.Written, want)
			}
			text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
			expect.NoError(t, err)
			expect.Equal(t, "partial", false, strings.Contains(string(text), `"partial"`))
		}
	})
}

// TestUpdate_FirstTwiceEnded ends a first export, changes two of its files, and ends the next update after
// the first of them.
func TestUpdate_FirstTwiceEnded(t *testing.T) {
	t.Parallel()
	s, folder := grown(t, storetest.SQLite(t)), t.TempDir()
	expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: 40, Hash: evm.Hash{1, 40}}, Time: 1_700_000_040}))
	changed := []byte{5, 25}
	for _, states := range []int{3, 1} {
		ctx, stop := context.WithCancel(t.Context())
		hook := &acting{Context: ctx, folder: folder}
		if text, err := os.ReadFile(filepath.Join(folder, "_manifest.json")); err == nil {
			hook.last = string(text)
		}
		hook.act = func(text []byte) {
			if states -= min(len(text), 1); states == 0 {
				stop()
			}
		}
		if _, err := export.New(s.DB, ofMints).Update(hook, folder, 10); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want it to end", err)
		}
		stop()
		for _, number := range changed {
			b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: uint64(number), Hash: evm.Hash{1, number}}, ParentHash: evm.Hash{1, number - 1}, Time: 1_700_000_000 + uint64(number)}}
			expect.NoError(t, proof.Of(s).Repair(t.Context(), []nft.Block{b}))
		}
		changed = nil
	}
	updated(t, s, folder)
	whole, _ := written(t, s, ofMints)
	rows, _ := manifestRows(t, folder)
	expect.Equal(t, "rows", whole, rows)
}
