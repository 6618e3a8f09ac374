package store_test

import (
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// sumStatements reads the sums and counts of collections, and returns its statements.
func sumStatements(t *testing.T, s *write.DB, sent *statements) []statement {
	t.Helper()
	tokens := []evm.Uint256{evm.NewUint256(7), evm.NewUint256(12), evm.NewUint256(5_000)}
	sent.take()
	each(t, s, func(snap *store.Snapshot) {
		for c := range 3 {
			for _, to := range []uint64{4_777, counter.LastBlock} {
				_, err := store.SumsOf(t.Context(), snap.Snapshot, collection(c), tokens, to)
				expect.NoError(t, err)
			}
			_, err := store.CountsOf(t.Context(), snap.Snapshot, collection(c))
			expect.NoError(t, err)
		}
	})
	return unique(sent.take())
}

func TestPlanSums_SQLite(t *testing.T) {
	skipShort(t)
	t.Parallel()
	dsn, sent := storetest.SQLite(t), &statements{}
	s := openNoting(t, dsn, sent)
	apply(t, s, planBlocks())
	db := raw(t, dsn)
	for _, st := range sumStatements(t, s, sent) {
		plan := sqlitePlan(t, db, st)
		// The amounts of a scope are grouped, but only those in the range that is read.
		if scansTable(plan) || strings.Contains(plan, "SCAN few") || strings.Contains(plan, "SCAN counted") {
			t.Errorf("%s\nis a scan: %s", st.query, plan)
		}
		if strings.Contains(st.query, "few.amount") && strings.Count(plan, "rowid>? AND rowid<?") != 1 {
			t.Errorf("%s\nreads more than a range: %s", st.query, plan)
		}
	}
}

func TestPlanSums_PostgreSQL(t *testing.T) {
	skipShort(t)
	t.Parallel()
	dsn, sent := pgtest.DSN(t), &statements{}
	s := openNoting(t, dsn, sent)
	apply(t, s, planBlocks())
	execute(t, dsn, "ANALYZE")
	db := raw(t, dsn)
	for _, st := range sumStatements(t, s, sent) {
		checkPlan(t, db, st, "mints", "burns", "counters")
	}
}
