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
	"mintburn/internal/expect"
	"mintburn/internal/pgtest"
	"mintburn/internal/store"
)

// planNode is a step of a plan that PostgreSQL has carried out.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Removed  float64    `json:"Rows Removed by Filter"`
	Plans    []planNode `json:"Plans"`
}

func (n planNode) walk(visit func(planNode)) {
	visit(n)
	for _, child := range n.Plans {
		child.walk(visit)
	}
}

// checkPlan lets PostgreSQL answer a statement and looks for steps that scan one of
// the big tables or touch more than 2,000 rows. PostgreSQL plans the first executions
// for their arguments; from the sixth on it takes a generic plan, if that looks as
// cheap. Pages must hold with either. A generic plan of a count may read another
// index of a table as small as here.
func checkPlan(t *testing.T, db *sql.DB, st statement, big ...string) {
	t.Helper()
	modes := []string{"force_custom_plan"}
	if strings.Contains(st.query, "LIMIT") {
		modes = append(modes, "force_generic_plan")
	}
	for _, mode := range modes {
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

// postgresPlan carries out a statement in a plan_cache_mode and undoes it.
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
	run("BEGIN; " + database.OrderedPlans)
	defer run("ROLLBACK")
	run("SET LOCAL plan_cache_mode = " + mode)
	run("PREPARE planned AS " + st.query)
	defer run("DEALLOCATE planned")
	execute := "EXECUTE planned"
	for i := range st.args {
		execute += fmt.Sprintf("%c $%d", "(,"[min(i, 1)], i+1)
	}
	if len(st.args) > 0 {
		execute += ")"
	}
	var text string
	row := conn.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+execute,
		append([]any{pgx.QueryExecModeSimpleProtocol}, st.args...)...)
	if err := row.Scan(&text); err != nil {
		t.Fatalf("%s: %v", st.query, err)
	}
	var plans []struct{ Plan planNode }
	expect.NoError(t, json.Unmarshal([]byte(text), &plans))
	return plans[0].Plan, text
}

// TestPlan_PostgreSQL counts the rows that each statement touches. A cheap range
// of the key may be read whole and sorted, but never much of a table: mints
// has ten times as many rows as are allowed, and the busiest filters half of
// those.
func TestPlan_PostgreSQL(t *testing.T) {
	skipShort(t)
	blocks := planBlocks()
	dsn, sent := pgtest.DSN(t), &statements{}
	s := open(t, dsn, store.Options{OnStatement: sent.add})
	apply(t, s, blocks)
	last := blocks[len(blocks)-1].Header
	apply(t, s, branch(2, 2, last.Number+1, last.Hash, 20_000, between(0, 0)))
	putTokens(t, s)
	db := raw(t, dsn)
	for _, query := range []string{
		`INSERT INTO tokens (contract_id, token_id, uri, uri_has_id, raw, fetched_at, updated_at, attributes, text_bytes)
			SELECT 1000 + n % 50, '\x04'::bytea || int4send(n + 16777216), '', FALSE, '{}', 1, 1, '[]' || chr(10), 5 FROM generate_series(1, 40000) n`,
		`INSERT INTO resolutions (contract_id, token_id, standard, state, attempted_at) SELECT contract_id, token_id, 1, 'done', 1 FROM tokens ON CONFLICT DO NOTHING`,
		"ANALYZE",
	} {
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	snap := snapshot(t, s)
	var list []statement
	for _, f := range someOf(someOf(accepted(blocks))) {
		if f.Account != nil && *f.Account == account(1) {
			continue // the index has it together with the busiest account
		}
		list = append(list, everyStatement(t, snap, sent, f)...)
	}
	list = append(list, tokenStatements(t, snap, sent)...)
	file := readGolden(t, true)
	big := []string{"mints", "burns", "tokens", "resolutions"}
	for _, st := range unique(list) {
		st = file.of(st)
		if !slices.ContainsFunc(big, func(table string) bool { return strings.Contains(st.query, `FROM "`+table+`"`) }) {
			continue
		}
		checkPlan(t, db, st, big...)
		if t.Failed() {
			return
		}
	}
}

// TestPlan_NoIndex: rows that no index has in order are sorted, and the statement is
// not compiled first, which takes half a second.
func TestPlan_NoIndex(t *testing.T) {
	dsn := pgtest.DSN(t)
	open(t, dsn, store.Options{})
	_, text := postgresPlan(t, raw(t, dsn), statement{query: "SELECT id FROM mints ORDER BY amount"}, "force_custom_plan")
	if !strings.Contains(text, `"Sort"`) || strings.Contains(text, "JIT") {
		t.Errorf("want a sort without JIT: %s", text)
	}
}
