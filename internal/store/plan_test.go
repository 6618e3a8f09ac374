package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mintburn/ent/contractmetadata"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// planBlocks returns enough blocks for PostgreSQL to prefer an index if there is one.
func planBlocks() []nft.Block {
	blocks := branch(1, 1, 4000, blockHash(1, 3999), 1500, between(24, 600))
	for i := range blocks {
		blocks[i].Transactions = []evm.Transaction{{Index: 0}, {Index: 2}, {Index: 7}}
	}
	return blocks
}

// everyStatement makes all requests with a filter, and returns their statements.
func everyStatement(t *testing.T, snap *store.Snapshot, sent *statements, f store.Filter) []statement {
	t.Helper()
	sent.take()
	walkRecords(t, snap, f, "", func(string) {})
	return sent.take()
}

// wantIndex returns the name of the index, without its table, that a filter should use. It
// is empty for the primary key.
func wantIndex(f store.Filter) string {
	switch {
	case hasList(f):
		l := f
		f.Addresses, f.TransactionHashes, f.Accounts, f.Tokens = nil, nil, nil, nil
		switch {
		case l.Addresses != nil:
			f.Address = new(evm.Address)
		case l.Accounts != nil:
			f.Account = new(evm.Address)
		case l.Tokens != nil:
			f.TokenID = new(evm.Uint256)
		default:
			f.TransactionHash = new(evm.Hash)
		}
		return wantIndex(f)
	case f.Account != nil && f.Address != nil:
		return "account_contract"
	case f.Account != nil:
		return "account"
	case f.TransactionHash != nil:
		return "tx"
	case f.TokenID != nil:
		return "token"
	case f.Address != nil:
		return "contract"
	default:
		return ""
	}
}

func TestPlan_SQLite(t *testing.T) {
	skipShort(t)
	t.Parallel()
	blocks := planBlocks()
	dsn, sent := storetest.SQLite(t), &statements{}
	writer := open(t, dsn, write.Options{})
	apply(t, writer, blocks)
	putTokens(t, writer)
	// A store that was just opened has no contracts in its cache.
	s := openNoting(t, dsn, sent)
	snap, db, file := snapshot(t, s), raw(t, dsn), readGolden(t, false)
	for _, f := range planned(blocks) {
		for _, st := range unique(everyStatement(t, snap, sent, f)) {
			file.has(st)
			plan := sqlitePlan(t, db, st)
			if hasList(f) {
				plan = checkMerge(t, st, plan)
			}
			if strings.Contains(plan, "TEMP B-TREE") {
				t.Fatalf("%s: %s\nis sorted: %s", describe(f), st.query, plan)
			}
			if read, ok := filtered(st.query, f); ok {
				checkSQLite(t, f, st, read, plan)
			} else if scansTable(plan) {
				t.Fatalf("%s: %s\nis a scan: %s", describe(f), st.query, plan)
			}
		}
	}
	for _, st := range unique(tokenStatements(t, snap, sent)) {
		file.has(st)
		// The tokens of a filter by traits are sorted to count each once.
		if plan := strings.Replace(checkMerge(t, st, sqlitePlan(t, db, st)), "TEMP B-TREE FOR count(DISTINCT)", "", 1); scansTable(plan) || strings.Contains(plan, "TEMP B-TREE") {
			t.Fatalf("%s\nis a scan or sorted: %s", st.query, plan)
		}
	}
	file.wantAll()
}

// checkMerge checks the parts of a plan that only lists have: the queue of the merge is
// sorted, and the queue and the values are scanned. It returns the other parts.
func checkMerge(t *testing.T, st statement, plan string) string {
	t.Helper()
	if !strings.Contains(st.query, "RECURSIVE") {
		return plan
	}
	if n := strings.Count(plan, "TEMP B-TREE"); n > 1 || !strings.Contains(plan, "CO-ROUTINE walk") && !strings.Contains(plan, "MATERIALIZE walk") || !strings.Contains(plan, "SCAN walk; SEARCH ") {
		t.Fatalf("%s\nis no walk: %s", st.query, plan)
	}
	plan = strings.Replace(plan, "USE TEMP B-TREE FOR ORDER BY", "", 1)
	return strings.NewReplacer("SCAN walk", "", "SCAN k", "").Replace(plan)
}

// scansTable reports whether a plan scans a table, not just a list of values.
func scansTable(plan string) bool {
	return regexp.MustCompile(`SCAN (mints|burns|tokens|traits|trait_values|trait_tokens|p|q|blocks|contracts|counters|coverage|orphaned_blocks|transactions|resolutions|refreshes|changes|change_events|t\d|[coqmiu])\b`).MatchString(plan)
}

// sqlitePlan returns SQLite's query plan of a statement.
func sqlitePlan(t *testing.T, db *sql.DB, st statement) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+st.query, st.args...)
	if err != nil {
		t.Fatalf("%s: %v", st.query, err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		expect.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		plan = append(plan, detail)
	}
	expect.NoError(t, rows.Err())
	return strings.Join(plan, "; ")
}

// filtered returns the table of the records of f, if the statement reads them by the
// filter. Nodes are read by their position, whatever the filter.
func filtered(query string, f store.Filter) (table string, ok bool) {
	table = f.Kind.String() + "s"
	plain := strings.NewReplacer("`", "", `"`, "").Replace(query)
	if !strings.Contains(plain, "FROM "+table) {
		return "", false
	}
	return table, wantIndex(f) == "" || strings.Contains(plain, table+".contract_id =") || strings.Contains(plain, "_prefix =")
}

// checkSQLite checks that a statement uses the filter's index and its own bounds on the key.
func checkSQLite(t *testing.T, f store.Filter, st statement, table, plan string) {
	t.Helper()
	bounds := strings.Count(st.query, "`id` >=") + strings.Count(st.query, "`id` <=")
	index := wantIndex(f)
	ok := strings.Count(plan, "rowid>?")+strings.Count(plan, "rowid<?") == bounds
	switch {
	case index != "":
		ok = ok && strings.Contains(plan, "SEARCH "+table+" USING ") && strings.Contains(plan, "INDEX "+table+"_"+index+" (")
	case bounds == 0:
		// Without a filter the rows are read in the order of the key.
		ok = ok && (plan == "SCAN "+table || strings.HasPrefix(plan, "SCAN "+table+"; SEARCH t1 USING INTEGER PRIMARY KEY"))
	default:
		ok = ok && strings.Contains(plan, "SEARCH "+table+" USING INTEGER PRIMARY KEY (")
	}
	// The count or the walk of a few records may use the wider of two suitable indexes.
	if bounds == 0 && (strings.Contains(st.query, "COUNT(") || isWalk(st.query)) && index == "account" {
		ok = strings.Contains(plan, "INDEX "+table+"_account")
	}
	if !ok {
		t.Fatalf("%s: %s\nis answered by: %s\nwant the index %q", describe(f), st.query, plan, index)
	}
}

// isWalk reports whether a statement reads the positions of all records of a filter, for buckets.
func isWalk(query string) bool {
	return regexp.MustCompile(`^SELECT .(mints|burns).[.].id.\s+FROM`).MatchString(query) && !strings.Contains(query, "LIMIT")
}

func unique(list []statement) []statement {
	seen := map[string]bool{}
	var kept []statement
	for _, st := range list {
		key := fmt.Sprint(st.query, st.args)
		if !seen[key] {
			kept = append(kept, st)
		}
		seen[key] = true
	}
	return kept
}

// putTokens stores metadata with traits for the first collections, and names all of them.
func putTokens(t testing.TB, s *write.DB) {
	t.Helper()
	var items []nft.TokenMetadata
	for c := range 6 {
		for id := range uint64(200) {
			items = append(items, nft.TokenMetadata{
				TokenKey: nft.TokenKey{Contract: collection(c), TokenID: evm.NewUint256(id)}, FetchedAt: 1, URI: "u", Raw: "{}",
				Metadata: nft.Metadata{Attributes: []nft.Attribute{{TraitType: "A", Value: fmt.Sprint(id % 7), Order: 1}, {TraitType: fmt.Sprint("B", id%3), Value: "x", Order: 2}}},
			})
		}
	}
	expect.NoError(t, s.PutMetadata(t.Context(), items))
	for i := range items[:50] {
		items[i].Raw, items[i].FetchedAt = "[]", 2
	}
	expect.NoError(t, s.PutMetadata(t.Context(), items[:50]))
	indexTraits(t, s)
	expect.NoError(t, s.WriteWithoutLease(t.Context(), func(ctx context.Context, w *write.Tx) error {
		rows, err := w.Client().Contract.Query().All(ctx)
		for _, row := range rows {
			name := fmt.Sprint("Name ", row.ID)
			if err == nil {
				err = w.Client().ContractMetadata.Update().Where(contractmetadata.ContractID(row.ID)).SetName(name).Exec(ctx)
			}
			for _, word := range tables.Words(row.ID, row.Address, &name, nil) {
				if err == nil {
					err = w.Client().CollectionWord.Create().SetID(word.ID).SetContractID(row.ID).SetShared(word.Shared).Exec(ctx)
				}
			}
		}
		return err
	}))
}

// tokenStatements makes all requests for tokens, collections and listings, and returns their
// statements.
func tokenStatements(t *testing.T, snap *store.Snapshot, sent *statements) []statement {
	t.Helper()
	sent.take()
	walkTokens(t, snap, func(string) {})
	walkSubjects(t, snap, func(string) {})
	walkListings(t, snap, func(string) {})
	walkChanges(t, snap, func(string) {})
	return sent.take()
}
