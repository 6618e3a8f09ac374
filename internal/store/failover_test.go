package store_test

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// scatteredOver is the number of collections of [scattered]. PostgreSQL replicates a sequence
// 32 numbers ahead, so only further numbers are given twice.
const scatteredOver = 120

// scattered generates blocks whose collections first appear in an order that depends on the
// salt. from is the first block; the blocks differ from those of other salts.
func scattered(salt, first uint64, parent evm.Hash, count int) []nft.Block {
	blocks := branch(salt, salt, first, parent, count, func(*rand.Rand, int) int { return 12 })
	order, n := rand.New(rand.NewPCG(salt, 1)).Perm(scatteredOver), 0
	for i := range blocks {
		for _, records := range [][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for j := range records {
				records[j].Contract = collection(100 + order[n%len(order)])
				// A log has one collection.
				if j+1 == len(records) || records[j+1].LogIndex != records[j].LogIndex {
					n++
				}
			}
		}
	}
	return blocks
}

// again calls read with new snapshots until it does not fail with a lost database, as a server
// does with an operation.
func again(t *testing.T, s *write.DB, each func(*store.Snapshot) error) {
	t.Helper()
	for tries := 1; ; tries++ {
		snap := store.NewSnapshot(s.Snapshot())
		err := each(snap)
		expect.NoError(t, snap.Close())
		if tries == 100 || !read.IsLost(err) {
			expect.NoError(t, err)
			return
		}
	}
}

// answersOf returns the records and totals of each collection, in one list.
func answersOf(t *testing.T, s *write.DB) (rows []row, totals []int64) {
	t.Helper()
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for n := range scatteredOver + 1 {
			f := store.Filter{Kind: kind, Partial: true, Address: ptr(collection(100 + n))}
			if n == scatteredOver {
				f.Address = nil
			}
			again(t, s, func(snap *store.Snapshot) error {
				p, err := readPage(t.Context(), snap, f, page.Args{First: ptr(10_000)})
				if err != nil {
					return err
				}
				total, err := p.Total(t.Context())
				rows, totals = append(rows, rowsOf(p)...), append(totals, total)
				return err
			})
		}
	}
	return rows, totals
}

// sameAsFresh checks that a store answers as one that was just opened.
func sameAsFresh(t *testing.T, s *write.DB, dsn string) {
	t.Helper()
	fresh := open(t, dsn, write.Options{MaxPageSize: 10_000})
	rows, totals := answersOf(t, s)
	wantRows, wantTotals := answersOf(t, fresh)
	expect.Equal(t, "totals", wantTotals, totals)
	expect.Equal(t, "records", len(wantRows), len(rows))
	wrong := 0
	for i := range min(len(rows), len(wantRows)) {
		if rows[i].Contract != wantRows[i].Contract || rows[i].Block != wantRows[i].Block {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d records differ from those of a new process", wrong, len(rows))
	}
	checks(t, fresh)
}

// failover is a pair of PostgreSQL servers. The second does not get the last commits.
type failover struct {
	primary, standby *pgtest.Server
	// shared are the blocks that both servers have, lost those of the first only.
	shared, lost []nft.Block
}

// newFailover returns servers after the loss of replication, and the process that wrote the
// blocks.
func newFailover(t *testing.T) (f *failover, writer *write.DB) {
	t.Helper()
	skipShort(t)
	t.Parallel()
	f = &failover{primary: pgtest.NewServer(t)}
	f.standby = f.primary.Replica()
	writer = open(t, f.primary.DSN, write.Options{MaxPageSize: 10_000})
	f.shared = scattered(1, 100, blockHash(1, 99), 3)
	parent := f.shared[2].Header.Hash
	apply(t, writer, f.shared)
	f.standby.Detach(f.primary)
	f.lost = scattered(2, 103, parent, 60)
	apply(t, writer, f.lost)
	return f, writer
}

// happens makes the second server the primary.
func (f *failover) happens() {
	f.primary.Stop(true)
	f.standby.Promote()
}

// replaced returns the blocks that the chain has instead of the lost ones.
func (f *failover) replaced() []nft.Block { return scattered(3, 103, f.shared[2].Header.Hash, 50) }

// TestFailover_Reader reads through a failover that loses commits, with a reorg meanwhile.
func TestFailover_Reader(t *testing.T) {
	f, _ := newFailover(t)
	s := open(t, f.primary.DSN, write.Options{MaxPageSize: 10_000})
	answersOf(t, s)
	f.happens()
	next := open(t, f.primary.DSN, write.Options{})
	take(t, next, leases.Options{Holder: "the next"})
	apply(t, next, f.replaced())
	sameAsFresh(t, s, f.primary.DSN)
}

// TestFailover_Writer continues with a writer after a failover that lost its last commits, and
// after which another process has written.
func TestFailover_Writer(t *testing.T) {
	f, writer := newFailover(t)
	answersOf(t, writer)
	f.happens()
	next := open(t, f.primary.DSN, write.Options{})
	term := take(t, next, leases.Options{Holder: "the next"})
	blocks := f.replaced()
	apply(t, next, blocks[:30])
	expect.Equal(t, "holder that stops the first", "the next", laterLeaseOf(t, writer))
	expect.NoError(t, term.Release())
	apply(t, writer, blocks[30:])
	sameAsFresh(t, writer, f.primary.DSN)
}

// laterLeaseOf is leaseOf once the database is reachable: each connection from before the
// failover fails once.
func laterLeaseOf(t *testing.T, s *write.DB) (holder string) {
	t.Helper()
	again(t, s, func(snap *store.Snapshot) error { _, err := snap.Chain(t.Context()); return err })
	for range 10 {
		if err := s.SetFinalized(t.Context(), evm.Header{}); !read.IsLost(err) {
			break
		}
	}
	return leaseOf(t, s)
}

// TestFailover_SameWriter continues with the process whose commits were lost.
func TestFailover_SameWriter(t *testing.T) {
	f, writer := newFailover(t)
	answersOf(t, writer)
	f.happens()
	// The first reads and writes fail on connections of the old primary.
	laterLeaseOf(t, writer)
	apply(t, writer, f.replaced())
	sameAsFresh(t, writer, f.primary.DSN)
}

// TestFailover_SameTerm checks that two processes never share a term, if a failover lost the
// takeover of the first.
func TestFailover_SameTerm(t *testing.T) {
	skipShort(t)
	t.Parallel()
	primary := pgtest.NewServer(t)
	standby := primary.Replica()
	first := open(t, primary.DSN, write.Options{})
	apply(t, first, few()[:10])
	standby.Detach(primary)
	take(t, first, leases.Options{Holder: "the first"})
	primary.Stop(true)
	standby.Promote()
	next := open(t, primary.DSN, write.Options{})
	take(t, next, leases.Options{Holder: "the next"})
	expect.Equal(t, "holder that stops the first", "the next", laterLeaseOf(t, first))
}

// TestRecreated drops the database below a server and creates another one with its name.
func TestRecreated(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := pgtest.NewServer(t)
	fill := func(salt uint64) {
		s, err := write.Open(t.Context(), server.DSN, write.Options{})
		expect.NoError(t, err)
		apply(t, s, scattered(salt, 100, blockHash(salt, 99), 60))
		expect.NoError(t, s.Close())
	}
	fill(1)
	s := open(t, server.DSN, write.Options{MaxPageSize: 10_000})
	answersOf(t, s)
	u, err := url.Parse(server.DSN)
	expect.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	execute(t, u.String(), "DROP DATABASE "+name+" WITH (FORCE)", "CREATE DATABASE "+name)
	fill(2)
	sameAsFresh(t, s, server.DSN)
}

// TestReplaced_InPlace restores a backup into a database that a server has open, as pg_restore
// and SQLite's .restore do, and writes to it.
func TestReplaced_InPlace(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, writer := open(t, dsn, write.Options{MaxPageSize: 10_000}), open(t, dsn, write.Options{})
		apply(t, writer, scattered(1, 100, blockHash(1, 99), 3))
		tables := []string{"blocks", "mints", "burns", "contracts", "coverage", "settings", "counters", "rejected_logs", "contract_metadata"}
		for _, table := range tables {
			execute(t, dsn, "CREATE TABLE saved_"+table+" AS SELECT * FROM "+table)
		}
		apply(t, writer, scattered(2, 103, blockHash(1, 102), 60))
		answersOf(t, s)
		for _, table := range tables {
			execute(t, dsn, "DELETE FROM "+table, "INSERT INTO "+table+" SELECT * FROM saved_"+table)
		}
		if isPostgres(dsn) {
			execute(t, dsn, "SELECT setval(pg_get_serial_sequence('contracts', 'id'), max(id)) FROM contracts")
		}
		apply(t, writer, scattered(3, 103, blockHash(1, 102), 50))
		sameAsFresh(t, s, dsn)
	})
}
