//go:build parquet

package export_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"mintburn/internal/export"
	"mintburn/internal/testing/expect"
)

// TestParquet_EqualsNDJSON compares the rows and cursor of a Parquet file with NDJSON, and
// checks its types.
func TestParquet_EqualsNDJSON(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for set, n := range allSets {
		ndjson, x := written(t, s, export.Options{Set: set, Format: export.NDJSON})
		text, _ := written(t, s, export.Options{Set: set, Format: export.Parquet})
		file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
		expect.NoError(t, err)
		if file.NumRows() != int64(n) {
			t.Errorf("%s: %d rows, want %d", set, file.NumRows(), n)
		}
		cursor, found := file.Lookup("mintburn.cursor")
		if found != (x.Cursor() != nil) || found && cursor != *x.Cursor() {
			t.Errorf("%s: cursor %q, want %v", set, cursor, x.Cursor())
		}
		lists, leaves, got := attributesIn(t, text), file.Schema().Columns(), []map[string]any{}
		rows := parquet.NewGenericReader[any](file)
		for i := range n {
			row, err := nextRow(rows)
			expect.NoError(t, err)
			object := map[string]any{}
			for _, v := range row {
				switch path := leaves[v.Column()]; {
				case len(path) > 1:
					object[path[0]] = lists[i]
				case v.IsNull():
					object[path[0]] = nil
				case v.Kind() == parquet.Int64:
					object[path[0]] = json.Number(fmt.Sprint(v.Int64()))
				default:
					leaf, _ := file.Schema().Lookup(path...)
					expect.Equal(t, path[0], "STRING", leaf.Node.Type().String())
					object[path[0]] = v.String()
				}
			}
			got = append(got, object)
		}
		want := append([]map[string]any{}, objects(t, ndjson)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-NDJSON +Parquet):\n%.3000s", set, diff)
		}
	}
}

// attributesIn returns the attributes of each row of a file, as they are in NDJSON.
func attributesIn(t *testing.T, text string) (lists []any) {
	t.Helper()
	rows, err := parquet.Read[struct {
		Attributes []struct {
			TraitType  string   `parquet:"trait_type" json:"trait_type"`
			Value      string   `parquet:"value" json:"value"`
			MaxValue   *float64 `parquet:"max_value" json:"max_value"`
			TraitCount int64    `parquet:"trait_count" json:"trait_count"`
			Order      int64    `parquet:"order" json:"order"`
		} `parquet:"attributes,list"`
	}](strings.NewReader(text), int64(len(text)))
	expect.NoError(t, err)
	for _, row := range rows {
		encoded, err := json.Marshal(append(row.Attributes[:0:0], row.Attributes...))
		expect.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(encoded))
		decoder.UseNumber()
		list := []any{}
		expect.NoError(t, decoder.Decode(&list))
		lists = append(lists, append([]any{}, list...))
	}
	return lists
}

func nextRow(rows *parquet.GenericReader[any]) (parquet.Row, error) {
	row := make([]parquet.Row, 1)
	if n, err := rows.ReadRows(row); n == 0 {
		return nil, err
	}
	return row[0].Clone(), nil
}

// TestParquet_Ended checks that the output of a failed export is not a Parquet file, whether
// writing failed or, after two pages, reading.
func TestParquet_Ended(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "damaged.db")
	s := filledAt(t, path)
	var out bytes.Buffer
	if err := export.New(s.DB, export.Options{Set: export.Mints, Format: export.Parquet}).Run(t.Context(), &failing{to: &out}); err == nil {
		t.Error("got no error from the output")
	}
	db, err := sql.Open("sqlite3", path)
	expect.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "UPDATE mints SET tx_suffix = x'00' WHERE id = (SELECT max(id) FROM mints)")
	expect.NoError(t, errors.Join(err, db.Close()))
	x := export.New(s.DB, export.Options{Set: export.Mints, Format: export.Parquet})
	if err := x.Run(t.Context(), &out); err == nil || x.Rows() != 6 {
		t.Errorf("got %d rows, error %v, want 6 rows and an error", x.Rows(), err)
	}
	if _, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len())); err == nil {
		t.Errorf("the %d bytes of output are a valid Parquet file", out.Len())
	}
}
