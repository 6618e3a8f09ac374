package store_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// planNode is a step of a plan that PostgreSQL has executed.
type planNode struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Removed  float64 `json:"Rows Removed by Filter"`
	// RemovedByJoin is the number of rows that a join compared and left out.
	RemovedByJoin float64 `json:"Rows Removed by Join Filter"`
	// Hit and Read are numbers of pages, including those of the steps below.
	Hit   float64    `json:"Shared Hit Blocks"`
	Read  float64    `json:"Shared Read Blocks"`
	Plans []planNode `json:"Plans"`
}

func (n planNode) walk(visit func(planNode)) {
	visit(n)
	for _, child := range n.Plans {
		child.walk(visit)
	}
}

// checkPlan executes a statement in PostgreSQL, and fails the test if a step scans one of
// the big tables or touches more than 2,000 rows. PostgreSQL plans the first five executions
// for their arguments, and then uses a generic plan if that looks as cheap.
func checkPlan(t *testing.T, db *sql.DB, st statement, big ...string) {
	t.Helper()
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		plan, text := postgresPlan(t, db, st, mode)
		plan.walk(func(n planNode) {
			if slices.Contains(big, n.Relation) && n.Type == "Seq Scan" {
				t.Errorf("%s\nscans %s (%s): %s", st.query, n.Relation, mode, text)
			}
			if rows := (n.Rows + n.Removed) * n.Loops; rows > 2000 {
				t.Errorf("%s %v\ntouches %v rows in a %s of %s %s (%s)", st.query, st.args, rows, n.Type, n.Relation, n.Index, mode)
			}
		})
	}
}

// postgresPlan executes a statement in a plan_cache_mode, and rolls it back.
func postgresPlan(t *testing.T, db *sql.DB, st statement, mode string) (planNode, string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	expect.NoError(t, err)
	defer conn.Close()
	run := func(text string) {
		if _, err := conn.ExecContext(t.Context(), text, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	run("BEGIN; " + database.OrderedPlans + "; SET LOCAL plan_cache_mode = " + mode + "; PREPARE planned AS " + st.query)
	defer run("DEALLOCATE planned; ROLLBACK")
	execute := "EXECUTE planned"
	for i := range st.args {
		execute += fmt.Sprintf("%c $%d", "(,"[min(i, 1)], i+1)
	}
	if len(st.args) > 0 {
		execute += ")"
	}
	var text string
	row := conn.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "+execute,
		append([]any{pgx.QueryExecModeSimpleProtocol}, st.args...)...)
	if err := row.Scan(&text); err != nil {
		t.Fatalf("%s: %v", st.query, err)
	}
	var plans []struct{ Plan planNode }
	expect.NoError(t, json.Unmarshal([]byte(text), &plans))
	return plans[0].Plan, text
}

// TestPlan_NoIndex checks that rows without a suitable index are sorted, and that the
// statement is not compiled first, which would take half a second.
func TestPlan_NoIndex(t *testing.T) {
	skipShort(t)
	dsn := pgtest.DSN(t)
	open(t, dsn, write.Options{})
	_, text := postgresPlan(t, raw(t, dsn), statement{query: "SELECT id FROM mints ORDER BY amount"}, "force_custom_plan")
	if !strings.Contains(text, `"Sort"`) || strings.Contains(text, "JIT") {
		t.Errorf("want a sort without JIT: %s", text)
	}
}

// queueStatements performs all operations of a long queue, and returns their statements.
func queueStatements(t *testing.T, s *write.DB, sent *statements, blocks []nft.Block, analyze func()) (list []statement) {
	t.Helper()
	c := newClock()
	q := c.queue(s)
	sent.take()
	for _, task := range claimAll(t, q, 500) {
		finish(t, q, c.failed(task, "x", 1000))
	}
	c.now += 1000
	claim(t, q, 500)
	// Most of the queue is now due at another time, and some of it is leased.
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
	dsn, sent := storetest.SQLite(t), &statements{}
	s := openNoting(t, dsn, sent)
	apply(t, s, blocks)
	putTokens(t, s)
	db := raw(t, dsn)
	for _, st := range unique(queueStatements(t, s, sent, blocks, func() {})) {
		if strings.Contains(st.query, "AS block") {
			continue // The records of a counter that is split are grouped by block.
		}
		if plan := sqlitePlan(t, db, st); scansTable(plan) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis a scan or sorted: %s", st.query, plan)
		}
	}
}

// TestPlanQueue_PostgreSQL counts the rows that each statement touches in tables with many
// more rows.
func TestPlanQueue_PostgreSQL(t *testing.T) {
	skipShort(t)
	t.Parallel()
	blocks := planBlocks()
	dsn, sent := pgtest.DSN(t), &statements{}
	s := openNoting(t, dsn, sent)
	apply(t, s, blocks)
	putTokens(t, s)
	db := raw(t, dsn)
	list := queueStatements(t, s, sent, blocks, func() {
		execute(t, dsn,
			`INSERT INTO resolutions (contract_id, token_id, standard, state, due_at)
				SELECT 1000 + n % 50, '\x04'::bytea || int4send(n + 16777216), 1, 'done', 3000000000 FROM generate_series(1, 40000) n`,
			"ANALYZE",
		)
	})
	for _, st := range unique(list) {
		checkPlan(t, db, st, "mints", "tokens", "resolutions")
	}
}
