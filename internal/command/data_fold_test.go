//go:build parquet

package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestData_Fold loads an export into DuckDB and PostgreSQL, and applies the changes of a chain that
// grows and reorgs with the statements of docs/data.md. The tables must equal an export each time.
func TestData_Fold(t *testing.T) {
	t.Parallel()
	skipShort(t, "applies changes to DuckDB and PostgreSQL")
	needed(t, "a tool is not installed", func() error {
		_, err := exec.LookPath("psql")
		return err
	})
	w := newWarehouse(t)
	w.postgres = pgtest.DSN(t)
	node, contents := generated(t, 30, 20)
	db := filepath.Join(w.folder, "chain.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	documented(t, db, 0)
	statements := map[string]string{}
	var scripts []string
	for _, b := range dataBlocks(t) {
		if b.info == "sh data" && strings.Contains(b.text, " changes ") {
			scripts = append(scripts, strings.ReplaceAll(b.text, "./mintburn", "mintburn"))
		}
		statements[b.info] = b.text
	}
	w.must(t, scripts[0], "sh", "-e")
	w.duckdb(t, statements["sql duckdb tables"]+statements["sql duckdb types"])
	w.psql(t, statements["sql postgres tables"])
	for _, set := range foldedSets {
		w.duckdb(t, fmt.Sprintf(`COPY %s FROM '%[1]s.csv' (HEADER, DELIMITER ',', QUOTE '"', ESCAPE '"')`, set))
		w.psql(t, fmt.Sprintf(`\copy %s FROM '%[1]s.csv' WITH (FORMAT csv, HEADER)`, set))
	}
	seen := map[string]int{}
	for step, depth := range []int{0, 3, 1, 12, 0} {
		node.Reorg(depth, make([][][]evm.Log, depth+1)...)
		contents.Seed++
		node.Generate(contents)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		documented(t, db, step+1)
		w.must(t, scripts[1], "sh", "-e")
		lines, err := os.ReadFile(filepath.Join(w.folder, "changes.ndjson"))
		expect.NoError(t, err)
		for _, kind := range []string{"added", "voided", "metadata"} {
			seen[kind] += strings.Count(string(lines), `{"kind":"`+kind+`"`)
		}
		// Changes that are read twice make no difference.
		for range 2 {
			w.duckdb(t, statements["sql duckdb fold"])
			w.psql(t, statements["sql postgres fold"])
		}
		for _, set := range foldedSets {
			exported, _ := mustRun(t, "export", "--db", db, set)
			want := foldedRows(t, exported)
			var inDuckDB []json.RawMessage
			decodeJSON(t, w.duckdb(t, "SELECT * FROM "+set), &inDuckDB)
			for engine, text := range map[string]string{"DuckDB": lined(inDuckDB), "PostgreSQL": w.psql(t, "SELECT to_jsonb(r) FROM "+set+" AS r")} {
				expect.Equal(t, fmt.Sprintf("step %d: %s (export, %s)", step, set, engine), want, foldedRows(t, text))
			}
		}
	}
	if seen["added"] < 1000 || seen["voided"] < 3 || seen["metadata"] < 20 {
		t.Errorf("the feed had %v: want more", seen)
	}
}

var foldedSets = []string{"mints", "burns", "metadata"}

// documented stores documents of some minted tokens, which differ from those of other steps.
func documented(t *testing.T, db string, step int) {
	t.Helper()
	minted, _ := mustRun(t, "export", "--db", db, "mints")
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	var list []nft.TokenMetadata
	for i, line := range slices.Collect(strings.Lines(minted)) {
		if i%17 != step%3 {
			continue
		}
		var m struct {
			Address evm.Address `json:"token_address"`
			TokenID evm.Uint256 `json:"token_id"`
		}
		apitest.Decode(t, line, &m)
		name := fmt.Sprintf(`"%d", \ and more`, step)
		list = append(list, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: m.Address, TokenID: m.TokenID}, Type: nft.ERC721, FetchedAt: uint64(step + 1), URI: "ipfs://x", Raw: "{}",
			Metadata: nft.Metadata{Name: &name, Attributes: []nft.Attribute{{TraitType: "step", Value: name, Order: 1}}}})
	}
	expect.NoError(t, s.PutMetadata(t.Context(), list))
}

// lined returns objects as lines.
func lined(objects []json.RawMessage) string {
	var lines strings.Builder
	for _, o := range objects {
		lines.WriteString(string(o) + "\n")
	}
	return lines.String()
}

// foldedRows returns rows of NDJSON in one form for all engines, in order: numbers as text, and
// attributes without trait counts.
func foldedRows(t *testing.T, text string) (rows []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var row map[string]any
		apitest.Decode(t, line, &row)
		for name, value := range row {
			if value != nil && name != "attributes" {
				row[name] = fmt.Sprint(value)
			}
		}
		attributes, _ := row["attributes"].([]any)
		for _, a := range attributes {
			a := a.(map[string]any)
			delete(a, "trait_count")
			a["order"] = fmt.Sprint(a["order"])
		}
		one, err := json.Marshal(row)
		expect.NoError(t, err)
		rows = append(rows, string(one))
	}
	slices.Sort(rows)
	return rows
}
