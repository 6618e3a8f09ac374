package store_test

import (
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestPlan_Skewed executes every statement that reads, with the plan for its arguments and
// with the generic plan, and bounds the rows and pages that it touches by the rows that it
// returns or counts. With a wrong index it would touch a hundred times more.
func TestPlan_Skewed(t *testing.T) {
	skipShort(t)
	t.Parallel()
	dsn, sent, loaded := pgtest.DSN(t), &statements{}, &statements{}
	fillSkewed(t, openNoting(t, dsn, loaded), dsn)
	snap, db := snapshot(t, openNoting(t, dsn, sent)), raw(t, dsn)
	checkDerivedPlan(t, db, loaded.take())
	file := readGolden(t, true)
	for _, st := range unique(skewedStatements(t, snap, sent)) {
		file.planned[keyOf(st.query)] = true
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			checkSkewedPlan(t, st, mode, func() (planNode, string) { return postgresPlan(t, db, st, mode) })
		}
		if t.Failed() {
			return
		}
	}
	file.wantAll()
}

// checkDerivedPlan fails the test if a load computes the counts of collections by a join.
// Planned for the average collection, a join would compare each token of the largest with
// each of its others.
func checkDerivedPlan(t *testing.T, db *sql.DB, loaded []statement) {
	t.Helper()
	at := slices.IndexFunc(loaded, func(st statement) bool { return strings.HasPrefix(st.query, "UPDATE contracts SET first_log") })
	if at < 0 {
		t.Fatal("the load did not count")
	}
	rows, err := db.QueryContext(t.Context(), "EXPLAIN "+loaded[at].query)
	expect.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		expect.NoError(t, rows.Scan(&line))
		if strings.Contains(line, "Join") || strings.Contains(line, "Nested Loop") || strings.Contains(line, "Seq Scan on mints") {
			t.Error(line)
		}
	}
	expect.NoError(t, rows.Err())
}

// checkSkewedPlan fails the test if a plan scans a table, or touches more rows or pages
// than the statement returns or counts.
func checkSkewedPlan(t *testing.T, st statement, mode string, run func() (planNode, string)) {
	t.Helper()
	plan, text := run()
	var rows float64
	plan.walk(func(n planNode) {
		rows = max(rows, (n.Rows+n.Removed+n.RemovedByJoin)*n.Loops)
		if n.Type == "Seq Scan" && !slices.Contains([]string{"coverage", "settings"}, n.Relation) {
			t.Errorf("%s %.300s\nscans %s (%s): %s", st.query, fmt.Sprint(st.args), n.Relation, mode, text)
		}
	})
	if most := mostRows(st); rows > most {
		t.Errorf("%s %.300s\ntouches %v rows, want at most %v (%s): %s", st.query, fmt.Sprint(st.args), rows, most, mode, text)
	}
	each := 8.0
	if strings.Contains(st.query, "AS ends") {
		// The latest records of both kinds are looked up, and the next token of both.
		each *= 3
	}
	if strings.Contains(st.query, "v_collections") {
		// The last records of both kinds are looked up, the name and the symbol.
		each *= 2
	}
	if pages, most := plan.Hit+plan.Read, 60+each*rows; pages > most {
		t.Errorf("%s %.300s\ntouches %v pages for %v rows, want at most %v (%s): %s", st.query, fmt.Sprint(st.args), pages, rows, most, mode, text)
	}
}

var limits = regexp.MustCompile(`LIMIT (\d+)`)

// mostRows returns how many rows a statement may touch.
func mostRows(st statement) float64 {
	most := 100
	for _, limit := range limits.FindAllStringSubmatch(st.query, -1) {
		n, _ := strconv.Atoi(limit[1])
		most = max(most, n)
	}
	switch {
	case strings.Contains(st.query, "counters"):
		most = 64 * 8 // A level has 64 nodes, and a range two ends.
	case strings.Contains(st.query, "COUNT(DISTINCT p.token_id)"):
		most = skewedDocuments // All tokens of a filter by a trait are read.
	case strings.Contains(st.query, "COUNT("), isWalk(st.query):
		most = max(most, 1000) // Scopes without counters are counted, or walked for buckets.
	}
	if strings.Contains(st.query, "tx_suffix") {
		most += skewedHundreds // All records of a transaction are read to filter by collection.
	}
	if len(st.args) > 0 {
		// Each value of a list may touch as many rows as a single value.
		if values, ok := st.args[0].([]int64); ok {
			most *= len(values)
		}
	}
	return float64(most + 25)
}

// skewedStatements makes all requests, and returns their statements.
func skewedStatements(t *testing.T, snap *store.Snapshot, sent *statements) (list []statement) {
	t.Helper()
	ctx := t.Context()
	sent.take()
	for i, f := range skewedFilters() {
		f.Order = []store.Order{store.Asc, store.Desc}[(i+i/4)%2]
		list = append(list, everyStatement(t, snap, sent, f)...)
		_, _, err := snap.Final(ctx, f)
		expect.NoError(t, err)
	}
	list = append(list, tokenStatements(t, snap, sent)...)
	// From the middle on, most records of the large collection are without a document.
	middle := ptr(evm.Long(skewedFirst + skewedBlocks/2))
	for _, size := range []int{1, 100} {
		for _, f := range []store.Filter{{}, {Address: ptr(collection(0)), FromBlock: middle}, {Address: ptr(collection(skewedSmall))}} {
			p := pageOf(t, snap, f, page.Args{First: &size})
			_, err := p.Metadata(ctx, allTexts)
			expect.NoError(t, err)
		}
		for _, c := range []int{0, skewedSmall} {
			tokensOf(t, snap, collection(c), nil, page.Args{Last: &size})
		}
	}
	for _, n := range []uint64{12, skewedDocuments + 12} {
		id := store.MetadataNodeID(nft.TokenKey{Contract: collection(0), TokenID: skewedToken(n)})
		_, err := snap.Node(ctx, id, page.Selected{Texts: read.AllTexts})
		expect.NoError(t, err)
	}
	orphaned := blockHash(2, skewedLast-100)
	_, err := readPage(ctx, snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &orphaned}}, page.Args{})
	wantCode(t, "an orphaned block", err, apierror.BlockNotCanonical)
	all := pageOf(t, snap, store.Filter{}, page.Args{})
	cursor := orphanedCursor(t, all.Cursor(0), skewedForked+2)
	_, err = readPage(ctx, snap, store.Filter{}, page.Args{After: &cursor})
	wantCode(t, "a cursor of an orphaned block", err, apierror.CursorReorged)
	return append(list, sent.take()...)
}

// orphanedCursor returns a cursor of the same list in an orphaned block.
func orphanedCursor(t *testing.T, text string, number uint64) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	expect.NoError(t, err)
	hash := blockHash(2, number)
	c := cursor.Cursor{Page: 1, Key: cursor.PositionKey(int64(number << 30)), Fingerprint: binary.BigEndian.Uint64(b[len(b)-16:]), Anchored: true, Anchor: binary.BigEndian.Uint32(hash[:])}
	return c.String()
}
