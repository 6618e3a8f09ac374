package store_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// listOf returns the values of a statement with one column.
func listOf[T any](t testing.TB, dsn, query string) (list []T) {
	t.Helper()
	db := raw(t, dsn)
	// Do not wait for the end of the test, which may read many lists.
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	expect.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var value T
		expect.NoError(t, rows.Scan(&value))
		list = append(list, value)
	}
	expect.NoError(t, rows.Err())
	return list
}

// indexes returns the statements that create a database's indexes.
func indexes(t *testing.T, dsn string) []string {
	t.Helper()
	if isPostgres(dsn) {
		return listOf[string](t, dsn, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname")
	}
	return listOf[string](t, dsn, "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
}

// roots returns the number of records of each counter tree.
func roots(t *testing.T, dsn string) []int64 {
	t.Helper()
	level := "x'00'"
	if isPostgres(dsn) {
		level = `'\x00'`
	}
	return listOf[int64](t, dsn, "SELECT n FROM counters WHERE substr(id, length(id) - 8, 1) = "+level+" ORDER BY n")
}

// large returns the sizes of all scopes with more records than are counted without a tree.
func (m model) large() []int64 {
	type key struct {
		kind              nft.Kind
		sort              string
		contract, account evm.Address
		token             evm.Uint256
	}
	sizes := map[key]int64{}
	for _, b := range m {
		for _, records := range [][]nft.Record{b.Mints, b.Burns} {
			for _, r := range records {
				account := r.To
				if r.Kind == nft.Burn {
					account = r.From
				}
				sizes[key{kind: r.Kind, sort: "all"}]++
				sizes[key{kind: r.Kind, sort: "contract", contract: r.Contract}]++
				sizes[key{kind: r.Kind, sort: "token", contract: r.Contract, token: r.TokenID}]++
				sizes[key{kind: r.Kind, sort: "account", account: account}]++
				sizes[key{kind: r.Kind, sort: "both", contract: r.Contract, account: account}]++
			}
		}
	}
	var list []int64
	for _, n := range sizes {
		if n > 512 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

func loading(t *testing.T, s *write.DB) bool {
	t.Helper()
	steps, err := write.LoadOf(s).Steps(t.Context())
	expect.NoError(t, err)
	return steps > 0
}

func beginLoad(t *testing.T, s *write.DB) {
	t.Helper()
	expect.NoError(t, write.LoadOf(s).Begin(t.Context()))
}

func finishLoad(t *testing.T, s *write.DB) {
	t.Helper()
	expect.NoError(t, write.LoadOf(s).Finish(t.Context()))
}

// TestLoad_RandomHistories begins a load through one of two open stores, writes through
// both, ends the load at a random point, and checks totals before and after that.
func TestLoad_RandomHistories(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		rounds := 16
		if isPostgres(dsn) {
			rounds = 8
		}
		for _, seed := range seeds(t, 1) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 8))
			h := newHistory(seed, 3<<24-700, 1400)
			stores := []*write.DB{open(t, dsn, write.Options{}), open(t, dsn, write.Options{Options: database.Options{Loading: true}})}
			want := indexes(t, dsn)
			beginLoad(t, stores[1])
			end := rounds/2 + rng.IntN(rounds/4)
			for round := range rounds {
				s := stores[rng.IntN(2)]
				h.step(t, s, rng, 400)
				if round == end {
					h.check(t, s, rng, 2)
					if n := len(roots(t, dsn)); n != 0 || !loading(t, s) {
						t.Fatalf("the database is not being loaded: %d counter trees", n)
					}
					finishLoad(t, stores[rng.IntN(2)])
					expect.Equal(t, "counter trees", h.known().large(), roots(t, dsn))
					if diff := cmp.Diff(want, indexes(t, dsn)); diff != "" || loading(t, s) {
						t.Fatalf("indexes after a load (-want +got):\n%s", diff)
					}
				}
			}
			h.check(t, stores[0], rng, 5)
			each(t, stores[1], func(snap *store.Snapshot) { wantCounts(t, snap, h.known()) })
		}
	})
}

// TestLoad_PagesWithoutIndexes reads every page while there are no indexes.
func TestLoad_PagesWithoutIndexes(t *testing.T) {
	skipShort(t)
	blocks := branch(1, 1, 1, blockHash(1, 0), 150, between(8, 300))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		beginLoad(t, s)
		apply(t, s, blocks)
		filters := accepted(blocks)
		got := everything(t, s, filters)
		finishLoad(t, s)
		expect.Equal(t, "while loading and after", everything(t, s, filters), got)
		each(t, s, func(snap *store.Snapshot) { wantTotals(t, snap, blocks, filters) })
	})
}

// TestLoad_Interrupted cancels the work on indexes while it builds the second of those that
// are left, and continues with another store.
func TestLoad_Interrupted(t *testing.T) {
	skipShort(t)
	// Five of mints, five of burns, and two of blocks.
	const pending = 12
	blocks := branch(1, 1, 1, blockHash(1, 0), 250, between(8, 300))
	onBoth(t, func(t *testing.T, dsn string) {
		want := []string(nil)
		stopped := 0
		for done := false; !done; {
			ctx, stop := context.WithCancel(t.Context())
			built := 0
			s := open(t, dsn, write.Options{Options: database.Options{OnStatement: func(text string, _ []any) {
				if strings.HasPrefix(text, "CREATE INDEX") {
					if built++; built == 2 {
						stop()
					}
				}
			}}})
			if want == nil {
				want = indexes(t, dsn)
				beginLoad(t, s)
				apply(t, s, blocks)
			}
			err := write.LoadOf(s).Finish(ctx)
			stop()
			switch done = err == nil; {
			case done:
			case !errors.Is(err, context.Canceled) || !loading(t, s):
				t.Fatalf("after %d stops: %v", stopped, err)
			default:
				stopped++
			}
		}
		if diff := cmp.Diff(want, indexes(t, dsn)); diff != "" || stopped != pending-1 {
			t.Errorf("after %d stops (-want +got):\n%s", stopped, diff)
		}
		expect.Equal(t, "counter trees", model(blocks).large(), roots(t, dsn))
	})
}

// TestLoad_OnlyOfNewDatabases checks that no load begins in a database that has blocks, and that one
// begins when they are all removed.
func TestLoad_OnlyOfNewDatabases(t *testing.T) {
	blocks := branch(1, 1, 1, blockHash(1, 0), 150, between(8, 300))
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		want := indexes(t, dsn)
		check := func(what string) {
			t.Helper()
			beginLoad(t, s)
			if diff := cmp.Diff(want, indexes(t, dsn)); diff != "" || loading(t, s) {
				t.Errorf("%s: indexes (-want +got):\n%s", what, diff)
			}
			finishLoad(t, s)
		}
		expect.NoError(t, s.Extend(t.Context(), nil, evm.Range{From: 5, To: 9}, false))
		check("a range without records")
		apply(t, s, blocks)
		check("blocks")
		rollback(t, s, 0, nil)
		beginLoad(t, s)
		expect.Equal(t, "loading after all blocks are removed", true, loading(t, s))
		apply(t, s, blocks)
		finishLoad(t, s)
		expect.Equal(t, "indexes", want, indexes(t, dsn))
		wantClean(t, "the load", s)
	})
}

// TestLoad_GathersStatistics checks the statistics after a load, without which PostgreSQL
// reads a whole collection for a page of it.
func TestLoad_GathersStatistics(t *testing.T) {
	skipShort(t)
	dsn := pgtest.DSN(t)
	s := open(t, dsn, write.Options{Options: database.Options{Loading: true}})
	expect.NoError(t, write.LoadOf(s).Begin(t.Context()))
	apply(t, s, branch(1, 1, 1000, blockHash(1, 999), 50, between(8, 300)))
	expect.NoError(t, write.LoadOf(s).Finish(t.Context()))
	got := listOf[string](t, dsn, "SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = 'public' ORDER BY tablename")
	expect.Equal(t, "tables with statistics", []string{"blocks", "burns", "mints"}, got)
	// In vacuumed tables, totals come from indexes alone.
	got = listOf[string](t, dsn, "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpages > 0 AND relallvisible = relpages ORDER BY 1")
	expect.Equal(t, "vacuumed tables", []string{"blocks", "burns", "mints"}, got)
}

// TestLoad_YieldsToReaders checks that a load, which must drop indexes, does not deadlock
// with a snapshot that reads the tables one after the other.
func TestLoad_YieldsToReaders(t *testing.T) {
	skipShort(t)
	t.Parallel()
	dsn := pgtest.DSN(t)
	s, db := open(t, dsn, write.Options{}), raw(t, dsn)
	reading, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	expect.NoError(t, err)
	read := func(table string) {
		t.Helper()
		_, err := reading.ExecContext(t.Context(), "SELECT 1 FROM "+table)
		expect.NoError(t, err)
	}
	read("blocks")
	begun := make(chan error, 1)
	go func() { begun <- write.LoadOf(s).Begin(t.Context()) }()
	for waiting := false; !waiting; {
		expect.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting))
	}
	read("mints")
	read("burns")
	expect.NoError(t, reading.Commit())
	expect.NoError(t, <-begun)
	if !loading(t, s) {
		t.Error("no load has begun")
	}
}
