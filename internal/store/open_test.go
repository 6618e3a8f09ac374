package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

func TestOpen_TwiceKeepsTheData(t *testing.T) {
	blocks := branch(1, 1, 5, blockHash(1, 4), 10, between(5, 0))
	onEmpty(t, func(t *testing.T, dsn string) {
		apply(t, open(t, dsn, write.Options{}), blocks)
		s := open(t, dsn, write.Options{Options: database.Options{Loading: true}})
		expect.Equal(t, "known blocks", len(blocks), apply(t, s, blocks).Known)
	})
}

func TestOpen_ManyAtOnce(t *testing.T) {
	const many = 8
	onEmpty(t, func(t *testing.T, dsn string) {
		type result struct {
			store *write.DB
			err   error
		}
		results, begin := make(chan result), make(chan struct{})
		for range many {
			go func() {
				<-begin
				s, err := write.Open(t.Context(), dsn, write.Options{Options: database.Options{Readers: 1}})
				results <- result{s, err}
			}()
		}
		close(begin)
		for range many {
			r := <-results
			if r.err != nil {
				t.Errorf("opening: %v", r.err)
				continue
			}
			if err := r.store.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		}
	})
}

func TestOpen_RefusesANewerDatabase(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		expect.NoError(t, open(t, dsn, write.Options{}).Close())
		execute(t, dsn, "INSERT INTO schema_version (version_id, is_applied) VALUES (99, TRUE)", "DELETE FROM settings WHERE id = 'compatible_from'")
		_, err := write.Open(t.Context(), dsn, write.Options{})
		if err == nil || !strings.Contains(err.Error(), "schema version 99") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line that names the version 99", err)
		}
	})
}

func TestOpen_RefusesOtherFiles(t *testing.T) {
	for _, dsn := range []string{"", "mysql://root@localhost/x", filepath.Join(t.TempDir(), "missing", "x.db"), t.TempDir(), "postgres://nobody@127.0.0.1:1/x?connect_timeout=1"} {
		s, err := write.Open(t.Context(), dsn, write.Options{})
		if err == nil {
			t.Errorf("%q: got no error", dsn)
			err = s.Close()
		}
		if err != nil && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	}
}

// TestOpen_PathsAreLiteral opens a path with characters that have a meaning in a URI.
func TestOpen_PathsAreLiteral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?mode=ro#%41.db")
	apply(t, open(t, path, write.Options{}), branch(1, 1, 5, blockHash(1, 4), 1, between(5, 0)))
	each(t, open(t, "sqlite://"+path, write.Options{}), func(snap *store.Snapshot) {
		c, err := snap.Chain(t.Context())
		if err != nil || c.Head == nil || c.Head.Number != 5 {
			t.Errorf("got %+v and error %v, want head 5", c, err)
		}
	})
}

func TestOpen_TwoStoresWriteAtOnce(t *testing.T) {
	skipShort(t)
	blocks := branch(3, 1, 64, blockHash(1, 63), 120, func(rng *rand.Rand, i int) int { return 20 + rng.IntN(20) })
	onEmpty(t, func(t *testing.T, dsn string) {
		stores := []*write.DB{open(t, dsn, write.Options{}), open(t, dsn, write.Options{})}
		errs := make(chan error)
		for turn, s := range stores {
			go func() {
				var failed []error
				for i := turn * 2; i < len(blocks); i += 4 {
					_, err := s.Apply(t.Context(), blocks[i:i+2])
					failed = append(failed, err)
				}
				errs <- errors.Join(failed...)
			}()
		}
		expect.NoError(t, errors.Join(<-errs, <-errs))
		each(t, stores[0], func(snap *store.Snapshot) { wantTotals(t, snap, blocks, accepted(blocks)) })
	})
}

// wantTotals compares the total of each filter with the blocks.
func wantTotals(t *testing.T, snap *store.Snapshot, blocks []nft.Block, filters []store.Filter) {
	t.Helper()
	for _, f := range filters {
		p := pageOf(t, snap, f, page.Args{First: ptr(0)})
		got := totalOf(t, p)
		if want := model(blocks).count(f); got != want {
			t.Fatalf("%s: total %d, want %d", describe(f), got, want)
		}
	}
}

// TestOpen_Existing opens another program's database, which must not change, and then one
// of ours.
func TestOpen_Existing(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		execute(t, dsn, "CREATE TABLE others (id int)")
		before, _ := os.ReadFile(dsn)
		if _, err := write.Open(t.Context(), dsn, write.Options{Options: database.Options{Existing: true}}); !errors.Is(err, database.ErrNoDatabase) && (err == nil || !strings.Contains(err.Error(), "of another program")) {
			t.Fatalf("another program's database: error %v", err)
		}
		if after, _ := os.ReadFile(dsn); !slices.Equal(before, after) {
			t.Error("the file was changed")
		}
		execute(t, dsn, "DROP TABLE others")
		open(t, dsn, write.Options{})
		open(t, dsn, write.Options{Options: database.Options{Existing: true}})
	})
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := write.Open(t.Context(), path, write.Options{Options: database.Options{Existing: true}}); !errors.Is(err, database.ErrNoDatabase) {
		t.Errorf("no file: error %v, want ErrNoDatabase", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was created (%v)", err)
	}
}

// TestIsLost checks that [read.IsLost] recognises the errors of all operations that a
// broken connection interrupts.
func TestIsLost(t *testing.T) {
	skipShort(t)
	db := pgtest.NewProxy(t)
	s, err := write.Open(t.Context(), db.DSN, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	reopen := func(ctx context.Context) error {
		again, err := write.Open(ctx, db.DSN, write.Options{})
		if err != nil {
			return err
		}
		return again.Close()
	}
	for name, work := range map[string]func(context.Context) error{
		"opening": reopen,
		"reading": func(ctx context.Context) error { _, _, _, err := s.Tip(ctx, 0); return err },
		"writing": func(ctx context.Context) error { return s.Settings().BindChain(ctx, 1) },
		"storing": func(ctx context.Context) error { return s.SetFinalized(ctx, evm.Header{}) },
	} {
		t.Run(name, func(t *testing.T) {
			lost := 0
			for n := range 60 {
				db.DropAfter(n/2 + 1)
				if err := work(t.Context()); err != nil && !read.IsLost(err) {
					t.Errorf("not lost: %v", err)
				} else if err != nil {
					lost++
				}
			}
			db.DropAfter(0)
			if lost == 0 {
				t.Error("no connection broke in the middle")
			}
		})
	}
	db.Cut()
	for range 2 {
		if err := s.CheckSchema(t.Context()); !read.IsLost(err) {
			t.Errorf("cut: error %v", err)
		}
	}
	if err := reopen(t.Context()); !read.IsLost(err) {
		t.Errorf("opening while cut: error %v", err)
	}
	for _, err := range []error{nil, errors.New("other"), context.DeadlineExceeded, context.Canceled, database.ErrNoDatabase} {
		if read.IsLost(err) {
			t.Errorf("lost: %v", err)
		}
	}
	// PostgreSQL, appendix A.
	for code, want := range map[string]bool{"08006": true, "53300": true, "57P01": true, "57P03": true, "28P01": true, "28000": true, "3D000": true, "42501": false, "57014": true, "55P03": true, "40001": true, "53100": false} {
		if err := fmt.Errorf("reading: %w", &pgconn.PgError{Code: code}); read.IsLost(err) != want {
			t.Errorf("%s: lost is not %t", code, want)
		}
	}
}
