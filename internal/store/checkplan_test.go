package store_test

import (
	"strings"
	"testing"

	"mintburn/internal/store"
)

// TestCheck_Plans: no statement of a check reads a whole table that grows with the
// chain, but for the pages of one. SQLite's pages are ranges of the key.
func TestCheck_Plans(t *testing.T) {
	skipShort(t)
	sent := &statements{}
	dsn := sqliteDSN(t)
	checked(t, dsn)
	db := raw(t, dsn)
	check(t, open(t, dsn, store.Options{OnStatement: sent.add}), false)
	list := unique(sent.take())
	if len(list) < 40 {
		t.Errorf("%d statements", len(list))
	}
	for _, st := range list {
		if strings.HasPrefix(st.query, "PRAGMA") {
			continue
		}
		for step := range strings.SplitSeq(sqlitePlan(t, db, st), "; ") {
			for _, table := range []string{"mints", "burns", "blocks", "record", "before", "minted", "tokens", "resolutions", "counters", "rejected_logs", "trait_values", "one", "other", "queued"} {
				if step == "SCAN "+table || strings.HasPrefix(step, "SCAN "+table+" ") {
					t.Errorf("%s\n%s", st.query, sqlitePlan(t, db, st))
				}
			}
		}
	}
}
