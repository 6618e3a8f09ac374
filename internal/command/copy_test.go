package command_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// copySets are the sets that a copy exports like its source.
var copySets = []string{"mints", "burns", "tokens", "metadata", "documents", "collections", "blocks", "rejected"}

// versioned returns a node whose tokens have documents that change with each fetch.
func versioned(t testing.TB) *chaintest.Node {
	t.Helper()
	var fetches atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := fetches.Add(1)
		fmt.Fprintf(w, `{"name":"é %d","attributes":[{"trait_type":"colour","value":"c%d"},{"trait_type":"fetch","value":"%d","display_type":"number"}]}`, n, n%3, n)
	}))
	t.Cleanup(site.Close)
	return chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10, URI: site.URL, Collection: [3]string{"Painted Garden", "PG", `data:application/json,{"name":"The Painted Garden"}`}})
}

// grow lets the chain of a node go on, also through a reorg, and the database of a DSN follow it.
func grow(t testing.TB, node *chaintest.Node, seed uint64, dsn string) {
	t.Helper()
	o := contents(20, 40)
	o.Seed, o.Collections, o.Accounts = seed, 6, 9
	follow := func() {
		mustRun(t, "sync", "--once", "--transactions", "--rpc", node.URL, "--db", dsn)
		mustRun(t, "metadata", "--once", "--recheck", "0s", "--allow-private-metadata", "--rpc", node.URL, "--db", dsn)
	}
	node.Generate(o)
	follow()
	blocks := node.Blocks()
	minted := blocks[len(blocks)-10].Logs[0]
	malformed := evm.Log{Address: minted.Address, Topics: []evm.Hash{evm.Hash(crypto.Keccak256Hash([]byte("TransferSingle(address,address,address,uint256,uint256)"))), {}, {}, {31: 1}}, Data: []byte{1}}
	updated := evm.Log{Address: minted.Address, Topics: []evm.Hash{evm.Hash(crypto.Keccak256Hash([]byte("MetadataUpdate(uint256)")))}, Data: make([]byte, 32)}
	updated.Data[31] = 1
	node.Reorg(2, [][]evm.Log{{malformed}}, [][]evm.Log{{updated}})
	follow()
}

// dumped returns the rows of each table of a database as text. It leaves out what each database has for itself, and
// numbers of derived rows.
func dumped(t testing.TB, dsn string) map[string][]string {
	t.Helper()
	db := open(t, dsn)
	names := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"
	if strings.HasPrefix(dsn, "postgres:") {
		names = "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
	}
	tables := map[string][]string{}
	for _, table := range rows(t, db, names) {
		table = strings.TrimPrefix(table, "name=")
		if table == "leases" || table == "schema_version" {
			continue
		}
		columns := slices.DeleteFunc(columnsOf(t, db, table), func(column string) bool {
			return column == "traits_version" || column == "value_id" || column == "id" && (table == "traits" || table == "trait_values" || table == "coverage")
		})
		slices.Sort(columns)
		where := ""
		if table == "settings" {
			where = " WHERE id NOT IN ('history', 'last_commit')"
		}
		tables[table] = rows(t, db, "SELECT "+strings.Join(columns, ", ")+" FROM "+table+where)
		slices.Sort(tables[table])
	}
	return tables
}

// columnsOf returns the columns of a table.
func columnsOf(t testing.TB, db *sql.DB, table string) []string {
	t.Helper()
	found, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" LIMIT 0")
	expect.NoError(t, err)
	defer found.Close()
	columns, err := found.Columns()
	expect.NoError(t, errors.Join(err, found.Err()))
	return columns
}

// sameCopy fails the test unless a copy has the rows and the exports of its source, and passes a check.
func sameCopy(t testing.TB, from, to string) {
	t.Helper()
	checkTables(t, dumped(t, from), dumped(t, to))
	for _, set := range copySets {
		want, _ := mustRun(t, "export", "--db", from, set)
		got, _ := mustRun(t, "export", "--db", to, set)
		if want != got {
			t.Errorf("export %s: %d bytes of the copy differ from %d of the source", set, len(got), len(want))
		}
	}
	mustRun(t, "check", "--db", to)
}

// TestCopy copies a database from SQLite to PostgreSQL, to PostgreSQL, back, and to SQLite. Cursors of pages and of
// the feed continue on each copy, and so do followers.
func TestCopy(t *testing.T) {
	t.Parallel()
	skipShort(t, "copies to PostgreSQL")
	node := versioned(t)
	source := filepath.Join(t.TempDir(), "source.db")
	grow(t, node, 1, source)
	mustRun(t, "migrate", "--index-traits", "--db", source)
	_, stderr := mustRun(t, "changes", "--db", source)
	feed := cursorIn(t, stderr)
	// At least 64 blocks have a digest.
	node.MineEmpty(50)
	grow(t, node, 2, source)
	for table, rows := range dumped(t, source) {
		if len(rows) == 0 {
			t.Errorf("the source has no %s", table)
		}
	}
	const page = "{ mints(first: 7%s) { cursor data { id } } }"
	first := serve(t, source).Get(t, fmt.Sprintf(page, ""), "")["mints"].(map[string]any)
	after := fmt.Sprintf(page, fmt.Sprintf(", after: %q", first["cursor"]))
	second := serve(t, source).Get(t, after, "")
	changes, stderr := mustRun(t, "changes", "--db", source, "--after", feed)
	last := cursorIn(t, stderr)
	all := []string{source}
	for _, next := range []string{pgtest.Direct(t), pgtest.Direct(t), filepath.Join(t.TempDir(), "back.db"), filepath.Join(t.TempDir(), "again.db")} {
		mustRun(t, "copy", "--from", all[len(all)-1], "--to", next)
		all = append(all, next)
		sameCopy(t, source, next)
		expect.Equal(t, "the second page", second, serve(t, next).Get(t, after, ""))
		got, _ := mustRun(t, "changes", "--db", next, "--after", feed)
		expect.Equal(t, "changes", changes, got)
	}
	o := contents(20, 40)
	o.Seed, o.Collections = 3, 12
	node.Generate(o)
	var added string
	for _, dsn := range all {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", dsn)
		mustRun(t, "metadata", "--once", "--allow-private-metadata", "--rpc", node.URL, "--db", dsn)
		expect.Equal(t, "records", exported(t, source), exported(t, dsn))
		expect.Equal(t, "documents", len(dumped(t, source)["tokens"]), len(dumped(t, dsn)["tokens"]))
		mustRun(t, "check", "--db", dsn)
		// The documents have other times.
		got, _ := mustRun(t, "changes", "--db", dsn, "--after", last, "--kind", "added")
		if got = exportedWithin(got, "mint"); dsn == source {
			added = got
		}
		expect.Equal(t, "mints after the last change of the source", added, got)
	}
	if added == "" {
		t.Error("nothing was added")
	}
}

// TestCopy_WhileFollowing copies a database while a server follows and serves it. Each copy matches the chain, and
// another server continues from it.
func TestCopy_WhileFollowing(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows on PostgreSQL")
	node, o := generated(t, 60, 20)
	source := filepath.Join(t.TempDir(), "source.db")
	follow := func(dsn string) *server { return start(t, "serve", "--db", dsn, "--rpc", node.URL, "--poll", "1ms") }
	s := follow(source)
	until(t, func() bool { return s.headIs(t, 60) })
	mined := mining(t, s, node, o, 60)
	copies := []string{filepath.Join(t.TempDir(), "copy.db"), pgtest.Direct(t)}
	for _, dsn := range copies {
		mustRun(t, "copy", "--from", source, "--to", dsn)
	}
	head := mined()
	servers := []*server{s}
	for _, dsn := range copies {
		mustRun(t, "check", "--db", dsn)
		mustRun(t, "verify", "--db", dsn, "--rpc", node.URL)
	}
	node.Reorg(3)
	node.Generate(o)
	for _, dsn := range copies {
		servers = append(servers, follow(dsn))
	}
	for _, s := range servers {
		until(t, func() bool { return s.headIs(t, head+57) })
	}
	for _, dsn := range copies {
		expect.Equal(t, "records", exported(t, source), exported(t, dsn))
	}
}
