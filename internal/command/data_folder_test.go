//go:build parquet

package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

var folderPattern = regexp.MustCompile(`(?m)^Exported (\d+) (?:mints|burns) in (\d+) files: (\d+) written, (\d+) removed\.$`)

// TestData_Folder keeps folders of Parquet files up to date through reorgs of a chain, on both
// databases. DuckDB and Go's reader must read the rows of a full export from the files that the
// manifest lists.
func TestData_Folder(t *testing.T) {
	skipShort(t, "reads many files with DuckDB")
	storetest.Each(t, func(t *testing.T, dsn string) {
		w := newWarehouse(t)
		node, contents := generated(t, 30, 20)
		written, kept := 0, 0
		for step, depth := range []int{0, 3, 14, 1} {
			node.Reorg(depth, make([][][]evm.Log, depth+1)...)
			contents.Seed++
			node.Generate(contents)
			mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", dsn)
			for _, set := range []string{"mints", "burns"} {
				folder := filepath.Join(w.folder, set)
				mustRun(t, "export", "--db", dsn, set, "--format", "parquet", "--output", folder+".parquet")
				_, said := mustRun(t, "export", "--db", dsn, set, "--format", "parquet", "--partition-blocks", "7", "--output", folder)
				found := folderPattern.FindStringSubmatch(said)
				if found == nil {
					t.Fatalf("it printed %q", said)
				}
				var files, fresh int
				_, err := fmt.Sscan(found[2]+" "+found[3], &files, &fresh)
				expect.NoError(t, err)
				if step > 0 {
					written, kept = written+fresh, kept+files-fresh
				}
				text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
				expect.NoError(t, err)
				var m struct{ Files []struct{ Name string } }
				expect.NoError(t, json.Unmarshal(text, &m))
				rows := int64(0)
				for _, f := range m.Files {
					file, err := parquet.ReadFile[any](filepath.Join(folder, f.Name))
					expect.NoError(t, err)
					rows += int64(len(file))
				}
				expect.Equal(t, "rows that Go reads", found[1], fmt.Sprint(rows))
				var counts []map[string]string
				decodeJSON(t, w.duckdb(t, fmt.Sprintf(`SET VARIABLE files = (SELECT list('%[1]s/' || file.name) FROM (SELECT unnest(files) AS file FROM read_json('%[1]s/_manifest.json')));
					CREATE OR REPLACE TEMP VIEW listed AS FROM read_parquet(getvariable('files'));
					SELECT (SELECT count(*) FROM listed) AS rows, (SELECT count(*) FROM '%[1]s/*.parquet') AS globbed,
						(SELECT count(*) FROM (FROM listed EXCEPT ALL FROM '%[1]s.parquet')) AS wrong,
						(SELECT count(*) FROM (FROM '%[1]s.parquet' EXCEPT ALL FROM listed)) AS missing`, set)), &counts)
				if n := counts[0]; n["rows"] != found[1] || n["globbed"] != found[1] || n["wrong"] != "0" || n["missing"] != "0" {
					t.Errorf("%s after step %d: %v, want %s rows", set, step, n, found[1])
				}
			}
		}
		if written == 0 || kept == 0 {
			t.Errorf("later runs wrote %d files and kept %d, want some of both", written, kept)
		}
		fails(t, 2, "mints: want another folder, or remove ", "export", "--db", dsn, "burns", "--format", "parquet", "--partition-blocks", "7", "--output", filepath.Join(w.folder, "mints"))
		if _, said := mustRun(t, "export", "--db", dsn, "mints", "--format", "parquet", "--partition-blocks", "7", "--output", filepath.Join(w.folder, "mints")); !strings.Contains(said, " 0 written, 0 removed.") {
			t.Errorf("without a change it printed %q", said)
		}
	})
}
