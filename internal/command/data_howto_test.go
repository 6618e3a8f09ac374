//go:build parquet

package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestData_HowTo runs the statement that docs/howto.md passes to DuckDB from Python.
func TestData_HowTo(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	mustRun(t, "export", "--db", importDemo(t), "burns", "--format", "csv", "--output", filepath.Join(w.folder, "burns.csv"))
	_, statement, found := strings.Cut(fenceOf(t, "docs/howto.md", "python duckdb"), `"""`)
	statement, _, closed := strings.Cut(statement, `"""`)
	if !found || !closed {
		t.Fatal("docs/howto.md has no statement")
	}
	var got []map[string]string
	decodeJSON(t, w.duckdb(t, statement), &got)
	want := []map[string]string{{"token_address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0", "burns": "144"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the statement returns (-want +got):\n%s", diff)
	}
}
