package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// ahead are reads that continue after cursors of a database, and the codes of their errors where
// the cursors' blocks and commits are unknown.
type ahead struct {
	what string
	code apierror.Code
	read func(snap *store.Snapshot) error
}

// aheadOf returns reads that continue within the last of the blocks, which s has.
func aheadOf(t *testing.T, s *write.DB, blocks []nft.Block) (list []ahead) {
	t.Helper()
	last := blocks[len(blocks)-1].Header
	number, time := evm.Long(last.Number), evm.Long(last.Time)
	few := page.Args{First: ptr(1)}
	each(t, s, func(snap *store.Snapshot) {
		for _, of := range []struct {
			what string
			code apierror.Code
			f    store.Filter
		}{
			{"all, newest first", apierror.InvalidCursor, store.Filter{Order: store.Desc}},
			{"from a block", apierror.InvalidCursor, store.Filter{FromBlock: &number}},
			{"of a block", apierror.InvalidCursor, store.Filter{Block: &evm.BlockNumberOrHash{Number: number}}},
			{"of the last block", apierror.InvalidCursor, store.Filter{Block: &evm.BlockNumberOrHash{Tag: evm.Latest}}},
			{"of a block's hash", apierror.BlockNotFound, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &last.Hash}}},
			{"from a time", apierror.BlockNotIndexed, store.Filter{FromTime: &time}},
		} {
			after := pageOf(t, snap, of.f, few).Cursor(0)
			list = append(list, ahead{of.what, of.code, func(snap *store.Snapshot) error {
				_, err := readPage(t.Context(), snap, of.f, page.Args{After: &after})
				return err
			}})
		}
		newest := store.CollectionFilter{Order: store.Desc}
		collections, err := snap.Collections(newest, few)
		expect.NoError(t, err)
		expect.NoError(t, collections.Read(t.Context(), nil))
		first := collections.Cursor(0)
		now, err := feed.Read(t.Context(), snap, feed.Filter{}, nil, 0, read.AllTexts)
		expect.NoError(t, err)
		list = append(list, ahead{"collections", apierror.InvalidCursor, func(snap *store.Snapshot) error {
			p, err := snap.Collections(newest, page.Args{After: &first})
			expect.NoError(t, err)
			return p.Read(t.Context(), nil)
		}}, ahead{"changes", apierror.ChangesExpired, func(snap *store.Snapshot) error {
			_, err := feed.Read(t.Context(), snap, feed.Filter{}, &now.Cursor, 10, read.AllTexts)
			return err
		}}, ahead{"touched blocks", apierror.ChangesExpired, func(snap *store.Snapshot) error {
			_, _, err := feed.Touched(t.Context(), snap, &now.Cursor)
			return err
		}})
	})
	return list
}

// TestStandby_Behind continues after cursors of the primary on a standby that lacks their blocks
// and commits. On SQLite, and on a primary, the same cursors are invalid.
func TestStandby_Behind(t *testing.T) {
	skipShort(t)
	t.Parallel()
	primary := pgtest.NewServer(t)
	standby := primary.Replica()
	blocks := scattered(1, 100, blockHash(1, 99), 30)
	writer, file := open(t, primary.DSN, write.Options{}), open(t, filepath.Join(t.TempDir(), "file.db"), write.Options{})
	apply(t, writer, blocks[:10])
	apply(t, file, blocks[:10])
	known := aheadOf(t, writer, blocks[:10])
	standby.Detach(primary)
	apply(t, writer, blocks[10:])
	list := aheadOf(t, writer, blocks)
	wantAll := func(s *write.DB, code func(ahead) apierror.Code) {
		t.Helper()
		for _, one := range list {
			each(t, s, func(snap *store.Snapshot) { wantCode(t, one.what, one.read(snap), code(one)) })
		}
	}
	usual := func(one ahead) apierror.Code { return one.code }
	wantAll(file, usual)

	var sent statements
	s := openNoting(t, standby.Alone(), &sent)
	for _, one := range known {
		each(t, s, func(snap *store.Snapshot) { expect.NoError(t, one.read(snap)) })
	}
	for _, each := range sent.take() {
		if strings.Contains(each.query, "pg_is_in_recovery") {
			t.Error("a read without an error asks whether the database is a standby")
		}
	}
	wantAll(s, func(ahead) apierror.Code { return apierror.ReplicaBehind })
	each(t, s, func(snap *store.Snapshot) {
		_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &evm.Hash{1}}}, page.Args{})
		wantCode(t, "an unknown hash without a cursor", err, apierror.BlockNotFound)
		before := list[0]
		wantCode(t, before.what, before.read(snap), apierror.ReplicaBehind)
	})
	standby.Promote()
	wantAll(s, usual)
}

// TestStandby_Conflict removes rows on the primary that a snapshot on the standby needs.
// PostgreSQL ends it there, with an error after which the same operation may succeed.
func TestStandby_Conflict(t *testing.T) {
	skipShort(t)
	t.Parallel()
	primary := pgtest.NewServer(t)
	apply(t, open(t, primary.DSN, write.Options{}), few())
	standby := primary.Replica()
	execute(t, standby.Alone(), "ALTER SYSTEM SET max_standby_streaming_delay = 0", "SELECT pg_reload_conf()")
	s := open(t, standby.Alone(), write.Options{})
	each(t, s, func(snap *store.Snapshot) {
		_, err := snap.Chain(t.Context())
		expect.NoError(t, err)
		// PostgreSQL sends what VACUUM did with the next commit.
		execute(t, primary.DSN, "UPDATE settings SET value = value", "VACUUM settings", "UPDATE settings SET value = value")
		standby.Detach(primary)
		if _, err := snap.Chain(t.Context()); !read.IsLost(err) || !read.IsCancelled(err) || !strings.Contains(err.Error(), "conflict with recovery") {
			t.Errorf("error %v, want one of a conflict that ended the snapshot", err)
		}
	})
	chainOf(t, s)
}
