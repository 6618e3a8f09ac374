package store_test

import (
	"strings"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/pgtest"
	"mintburn/internal/store"
)

// queueStatements does everything with a queue that has much to do, and returns
// the statements that it took.
func queueStatements(t *testing.T, s *store.Store, sent *statements, blocks []nft.Block, analyze func()) (list []statement) {
	t.Helper()
	c := newClock()
	q := c.queue(s)
	sent.take()
	for _, task := range claimAll(t, q, 500) {
		finish(t, q, c.failed(task, "x", 1000))
	}
	c.now += 1000
	claim(t, q, 500)
	// Most of the queue waits now for another time, and some of it for a worker.
	analyze()
	sent.take()
	top := blocks[len(blocks)-1].Header
	next := branch(1, 1, top.Number+1, top.Hash, 3, between(30, 0))
	everything := with(next[1], collection(0), 0, 0)
	everything.Refreshes[0].Last = bigIDs()[7]
	next[1] = with(everything, collection(1), 5, 9)
	apply(t, s, next)
	for range 2 {
		claim(t, q, 20)
		claim(t, c.queue(s, collection(1), collection(2)), 20)
	}
	rollback(t, s, top.Number, nil)
	return sent.take()
}

// TestPlanQueue_SQLite looks for scans and sorts.
func TestPlanQueue_SQLite(t *testing.T) {
	skipShort(t)
	blocks := planBlocks()
	dsn, sent := sqliteDSN(t), &statements{}
	s := open(t, dsn, store.Options{OnStatement: sent.add})
	apply(t, s, blocks)
	putTokens(t, s)
	db := raw(t, dsn)
	for _, st := range unique(queueStatements(t, s, sent, blocks, func() {})) {
		if strings.Contains(st.query, "AS number") {
			continue // The records of a counter that is split are grouped by block.
		}
		if plan := sqlitePlan(t, db, st); scansTable(plan) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis a scan or sorted: %s", st.query, plan)
		}
	}
}

// TestPlanQueue_PostgreSQL counts the rows that each statement touches, of
// tables of which each has many more.
func TestPlanQueue_PostgreSQL(t *testing.T) {
	skipShort(t)
	blocks := planBlocks()
	dsn, sent := pgtest.DSN(t), &statements{}
	s := open(t, dsn, store.Options{OnStatement: sent.add})
	apply(t, s, blocks)
	putTokens(t, s)
	db := raw(t, dsn)
	list := queueStatements(t, s, sent, blocks, func() {
		for _, query := range []string{
			`INSERT INTO resolutions (contract_id, token_id, standard, state, due_at)
				SELECT 1000 + n % 50, '\x04'::bytea || int4send(n + 16777216), 1, 'done', 3000000000 FROM generate_series(1, 40000) n`,
			"ANALYZE",
		} {
			if _, err := db.ExecContext(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, st := range unique(list) {
		checkPlan(t, db, st, "mints", "tokens", "resolutions")
	}
}
