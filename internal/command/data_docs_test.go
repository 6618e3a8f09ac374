//go:build parquet

package command_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// [TestData_Docs] runs the blocks of docs/data.md, in order and in one folder:
//
//   - sh data: a shell script.
//   - sh loader: the file load.sh, which [TestData_Loader] runs.
//   - sql duckdb, sql postgres, sql clickhouse: statements for these engines. The next json
//     block is DuckDB's last row, the next text block is the output of psql.
//   - sql sqlite, sql views: statements on databases of Mintburn.

// warehouse is a folder with the demo's database and recording, where the commands of
// docs/data.md run.
type warehouse struct {
	folder string
	// postgres is the address of a database without tables.
	postgres string
}

func newWarehouse(t *testing.T) *warehouse {
	t.Helper()
	w := &warehouse{folder: prepared(t)}
	script, err := filepath.Abs(filepath.Join(root, "web", "clients", "duckdb.js"))
	expect.NoError(t, err)
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(filepath.Dir(script), "node_modules", "@duckdb"))
	expect.NoError(t, os.Mkdir(filepath.Join(w.folder, "bin"), 0o755))
	w.executable(t, filepath.Join("bin", "duckdb"), "#!/bin/sh\nexec node '"+script+"' \"$@\"\n")
	return w
}

// executable writes a script.
func (w *warehouse) executable(t *testing.T, name, text string) {
	t.Helper()
	expect.NoError(t, os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o755))
}

// run runs a program in the folder, and returns its output and exit code.
func (w *warehouse) run(t *testing.T, stdin, name string, args ...string) (printed string, code int) {
	t.Helper()
	process := exec.CommandContext(t.Context(), "env", append([]string{"PATH=" + filepath.Join(w.folder, "bin") + ":" + os.Getenv("PATH"), name}, args...)...)
	process.Dir, process.Stdin = w.folder, strings.NewReader(stdin)
	var complaint strings.Builder
	process.Stderr = &complaint
	out, err := process.Output()
	if err != nil {
		t.Logf("%s %.300q: %v: %s", name, args, err, complaint.String())
	}
	return string(out), process.ProcessState.ExitCode()
}

// must is run, but the program must succeed.
func (w *warehouse) must(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	printed, code := w.run(t, stdin, name, args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d", name, code)
	}
	return printed
}

// duckdb runs statements and returns the rows of the last one, as JSON.
func (w *warehouse) duckdb(t *testing.T, statements string) string {
	t.Helper()
	return w.must(t, "", "duckdb", "-json", "warehouse.duckdb", statements)
}

// psql runs statements with psql.
func (w *warehouse) psql(t *testing.T, statements string) string {
	t.Helper()
	return w.must(t, statements, "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--dbname="+w.postgres)
}

// dataBlocks are the blocks of docs/data.md that [TestData_Docs] runs.
func dataBlocks(t *testing.T) (blocks []fence) {
	t.Helper()
	blocks, err := fences(documents(t)["docs/data.md"])
	expect.NoError(t, err)
	return blocks
}

func TestData_Docs(t *testing.T) {
	t.Parallel()
	needed(t, "a tool is not installed", func() error {
		_, err := exec.LookPath("psql")
		return err
	})
	w := newWarehouse(t)
	w.postgres = pgtest.DSN(t)
	onPostgres := pgtest.DSN(t)
	mustRun(t, "import", "--db", onPostgres, filepath.Join(w.folder, "internal", "demo", "chain.ndjson.gz"))
	ran := map[string]int{}
	blocks := dataBlocks(t)
	for i, b := range blocks {
		language, rest, _ := strings.Cut(b.info, " ")
		engine, _, _ := strings.Cut(rest, " ")
		printed := ""
		switch kind := language + " " + engine; kind {
		case "sh data":
			w.must(t, strings.ReplaceAll(b.text, "./mintburn", "mintburn"), "sh", "-e")
		case "sql duckdb":
			printed = w.duckdb(t, b.text)
		case "sql postgres":
			printed = w.psql(t, b.text)
		case "sql sqlite":
			printed = queried(t, "sqlite3", filepath.Join(w.folder, "chain.db"), b.text)
		case "sql views":
			printed = queried(t, "pgx", onPostgres, b.text)
		default:
			continue
		}
		ran[engine]++
		var next fence
		if i+1 < len(blocks) {
			next = blocks[i+1]
		}
		where := fmt.Sprintf("docs/data.md, line %d", b.line)
		switch next.info {
		case "json":
			want, err := parse(next.text)
			expect.NoError(t, err)
			got, err := parse(printed)
			expect.NoError(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: it prints %s(-documented +printed):\n%s", where, printed, diff)
			}
		case "text":
			expect.Equal(t, where, next.text, printed)
		}
	}
	for _, engine := range []string{"data", "duckdb", "postgres", "sqlite", "views"} {
		if ran[engine] == 0 {
			t.Errorf("no block of %s was run", engine)
		}
	}
	for _, set := range []string{"mints", "burns", "tokens", "metadata", "collections", "blocks", "rejected"} {
		w.sameInAllFormats(t, set)
	}
	var guessed []map[string]string
	decodeJSON(t, w.duckdb(t, `SELECT column_name, column_type FROM (DESCRIBE FROM read_csv('mints.csv')) WHERE column_name IN ('token_id', 'from')`), &guessed)
	expect.Equal(t, "what DuckDB guesses", []map[string]string{
		{"column_name": "token_id", "column_type": "DOUBLE"}, {"column_name": "from", "column_type": "BIGINT"},
	}, guessed)
}

// sameInAllFormats compares the Parquet, NDJSON and CSV of a set by row and column, with the
// types of the Parquet, and returns the number of rows.
func (w *warehouse) sameInAllFormats(t *testing.T, set string) (rows string) {
	t.Helper()
	var described []struct {
		Name string `json:"column_name"`
		Type string `json:"column_type"`
	}
	decodeJSON(t, w.duckdb(t, fmt.Sprintf("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '%s.parquet')", set)), &described)
	var types, differ []string
	for _, c := range described {
		types = append(types, fmt.Sprintf(`"%s": '%s'`, c.Name, c.Type))
		for _, other := range []string{"j", "c"} {
			differ = append(differ, fmt.Sprintf(`count(*) FILTER (p."%s" IS DISTINCT FROM %s."%s") AS "%s.%s"`, c.Name, other, c.Name, other, c.Name))
		}
	}
	columns := "{" + strings.Join(types, ", ") + "}"
	var counts []map[string]string
	decodeJSON(t, w.duckdb(t, fmt.Sprintf(`SELECT count(*) AS n, count(p.%q) AS parquet, count(j.%[1]q) AS ndjson, count(c.%[1]q) AS csv, %s FROM '%s.parquet' AS p
		POSITIONAL JOIN read_json('%[3]s.ndjson', format = 'newline_delimited', columns = %[4]s, maximum_object_size = 100000000) AS j
		POSITIONAL JOIN read_csv('%[3]s.csv', header = true, delim = ',', quote = '"', escape = '"', auto_detect = false, columns = %[4]s) AS c`,
		described[0].Name, strings.Join(differ, ", "), set, columns)), &counts)
	rows = counts[0]["n"]
	for name, n := range counts[0] {
		switch name {
		case "n", "parquet", "ndjson", "csv":
			if n != rows || n == "0" {
				t.Errorf("%s: %s has %s rows of %s", set, name, n, rows)
			}
		default:
			if n != "0" {
				t.Errorf("%s: %s differs in %s rows", set, name, n)
			}
		}
	}
	return rows
}

// decodeJSON decodes a text into a value.
func decodeJSON(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// queried returns the rows of a query on a database of Mintburn, as JSON.
func queried(t *testing.T, driver, dsn, query string) string {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	expect.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	expect.NoError(t, err)
	list := []map[string]any{}
	for rows.Next() {
		values, to, row := make([]any, len(columns)), make([]any, len(columns)), map[string]any{}
		for i := range values {
			to[i] = &values[i]
		}
		expect.NoError(t, rows.Scan(to...))
		for i, name := range columns {
			row[name] = values[i]
		}
		list = append(list, row)
	}
	expect.NoError(t, rows.Err())
	text, err := json.Marshal(list)
	expect.NoError(t, err)
	return string(text)
}

// TestData_Loader runs the loader of docs/data.md on a chain that grows and reorgs. At the
// end, the loaded rows must equal a full export.
func TestData_Loader(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the loader ten times")
	w := newWarehouse(t)
	node, contents := generated(t, 30, 20)
	for _, b := range dataBlocks(t) {
		switch b.info {
		case "sh loader":
			w.executable(t, "load.sh", b.text)
		case "sql duckdb tables":
			w.duckdb(t, b.text)
		}
	}
	stale := 0
	for _, depth := range []int{0, 3, 1, 12} {
		// With depth 0 the chain only grows.
		node.Reorg(depth, make([][][]evm.Log, depth+1)...)
		contents.Seed++
		node.Generate(contents)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", filepath.Join(w.folder, "chain.db"))
		for _, set := range []string{"mints", "blocks"} {
			w.must(t, "", "mintburn", "export", "--db", "chain.db", set, "--format", "parquet", "--output", "whole.parquet")
			if w.differences(t, set)["wrong"] != "0" {
				stale++
			}
			w.must(t, "", "./load.sh", "chain.db", "warehouse.duckdb", set)
			if n := w.differences(t, set); n["loaded"] == "0" || n["wrong"] != "0" || n["missing"] != "0" {
				t.Errorf("%s, reorg of %d blocks: %v", set, depth, n)
			}
		}
	}
	if stale < 4 {
		t.Errorf("the loader had to delete rows %d times: want more", stale)
	}
}

// differences compares a table with whole.parquet.
func (w *warehouse) differences(t *testing.T, set string) map[string]string {
	t.Helper()
	var counts []map[string]string
	decodeJSON(t, w.duckdb(t, fmt.Sprintf(`SELECT (SELECT count(*) FROM %[1]s) AS loaded,
		(SELECT count(*) FROM (FROM %[1]s EXCEPT ALL FROM 'whole.parquet')) AS wrong,
		(SELECT count(*) FROM (FROM 'whole.parquet' EXCEPT ALL FROM %[1]s)) AS missing`, set)), &counts)
	return counts[0]
}
