package store_test

import (
	"strings"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/testing/expect"
)

// TestDue checks that the due tokens are counted, up to a limit, with the index of their
// order.
func TestDue(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s, c := openNoting(t, dsn, sent), newClock()
		want := func(what string, most, want int) {
			t.Helper()
			each(t, s, func(snap *store.Snapshot) {
				due, err := document.Due(t.Context(), snap.Snapshot, c.Now(), most)
				expect.NoError(t, err)
				expect.Equal(t, what, want, due)
			})
		}
		apply(t, s, []nft.Block{drop(100, collection(2), 1, 5)})
		want("not entered", 10, 0)
		q := c.queue(s)
		tasks := claim(t, q, 2)
		want("claimed", 10, 3)
		want("bounded", 2, 2)
		finish(t, q, c.fetched(tasks[0], "one"), c.failed(tasks[1], "no answer", 9))
		want("failed, but waiting", 10, 3)
		c.now += 9
		want("failed, and due", 10, 4)
		c.fetchAll(t, q, "all")
		want("fetched", 10, 0)
		const idle = 3_000
		apply(t, s, []nft.Block{drop(101, collection(3), 1, idle)})
		c.fetchAll(t, q, "idle")
		db := raw(t, dsn)
		_, err := db.ExecContext(t.Context(), "ANALYZE")
		expect.NoError(t, err)
		sent.take()
		want("planned", 10, 0)
		st := sent.take()[0]
		if isPostgres(dsn) {
			checkPlan(t, db, st, "resolutions")
		} else if plan := sqlitePlan(t, db, st); scansTable(plan) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s is a scan or sorted: %s", st.query, plan)
		}
	})
}
