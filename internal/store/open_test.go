package store_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

func TestOpen_TwiceKeepsTheData(t *testing.T) {
	blocks := branch(1, 1, 5, blockHash(1, 4), 10, between(5, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		apply(t, open(t, dsn, store.Options{}), blocks)
		s := open(t, dsn, store.Options{Loading: true})
		if applied := apply(t, s, blocks); applied.Known != len(blocks) {
			t.Errorf("applying again: got %+v, want %d known", applied, len(blocks))
		}
	})
}

func TestOpen_ManyAtOnce(t *testing.T) {
	const many = 8
	onBoth(t, func(t *testing.T, dsn string) {
		type result struct {
			store *store.Store
			err   error
		}
		results, begin := make(chan result), make(chan struct{})
		for range many {
			go func() {
				<-begin
				s, err := store.Open(t.Context(), dsn, store.Options{Readers: 1})
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
	onBoth(t, func(t *testing.T, dsn string) {
		expect.NoError(t, open(t, dsn, store.Options{}).Close())
		newer := "INSERT INTO schema_version (version_id, is_applied) VALUES (99, TRUE)"
		if _, err := raw(t, dsn).ExecContext(t.Context(), newer); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), "schema version 99") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line that names the version 99", err)
		}
	})
}

func TestOpen_RefusesWhatIsNoDatabase(t *testing.T) {
	for _, dsn := range []string{"", "mysql://root@localhost/x", filepath.Join(t.TempDir(), "missing", "x.db"), t.TempDir(), "postgres://nobody@127.0.0.1:1/x?connect_timeout=1"} {
		s, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil {
			t.Errorf("%q: got no error", dsn)
			err = s.Close()
		}
		if err != nil && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	}
}

// TestOpen_PathsAreTakenAsTheyAre has characters that mean something in a URI.
func TestOpen_PathsAreTakenAsTheyAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?mode=ro#%41.db")
	apply(t, open(t, path, store.Options{}), branch(1, 1, 5, blockHash(1, 4), 1, between(5, 0)))
	read(t, open(t, "sqlite://"+path, store.Options{}), func(snap *store.Snapshot) {
		c, err := snap.Chain(t.Context())
		if err != nil || c.Head == nil || c.Head.Number != 5 {
			t.Errorf("got %+v and error %v, want head 5", c, err)
		}
	})
}

// TestOpen_TwoStoresWriteInTurn makes scopes hot in one store that the other
// must then count.
func TestOpen_TwoStoresWriteInTurn(t *testing.T) {
	blocks := branch(3, 1, 64, blockHash(1, 63), 120, func(rng *rand.Rand, i int) int { return 20 + rng.IntN(20) })
	onBoth(t, func(t *testing.T, dsn string) {
		stores := []*store.Store{open(t, dsn, store.Options{}), open(t, dsn, store.Options{})}
		for i := 0; i < len(blocks); i += 3 {
			apply(t, stores[i/3%2], blocks[i:i+3])
		}
		rollback := blocks[99].Header.Number
		expect.NoError(t, stores[0].ReplaceAbove(t.Context(), rollback, blocks[100:110], false))
		apply(t, stores[1], blocks[110:])
		for _, s := range stores {
			read(t, s, func(snap *store.Snapshot) { wantTotals(t, snap, blocks, accepted(blocks)) })
		}
	})
}

func TestOpen_TwoStoresWriteAtOnce(t *testing.T) {
	blocks := branch(3, 1, 64, blockHash(1, 63), 120, func(rng *rand.Rand, i int) int { return 20 + rng.IntN(20) })
	onBoth(t, func(t *testing.T, dsn string) {
		stores := []*store.Store{open(t, dsn, store.Options{}), open(t, dsn, store.Options{})}
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
		read(t, stores[0], func(snap *store.Snapshot) { wantTotals(t, snap, blocks, accepted(blocks)) })
	})
}

// wantTotals checks the total of each filter against the blocks.
func wantTotals(t *testing.T, snap *store.Snapshot, blocks []nft.Block, filters []store.Filter) {
	t.Helper()
	for _, f := range filters {
		p, err := readPage(t.Context(), snap, f, store.PageArgs{First: ptr(0)})
		if err != nil {
			t.Fatalf("%s: %v", describe(f), err)
		}
		got, err := p.Total(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", describe(f), err)
		}
		if want := model(blocks).count(f); got != want {
			t.Fatalf("%s: total %d, want %d", describe(f), got, want)
		}
	}
}
