package command_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mintburn/internal/apitest"
	"mintburn/internal/chaintest"
)

func TestImport_WholeChain(t *testing.T) {
	db := importChainA(t)
	s := serve(t, db)
	for field, key := range map[string]string{"mints": "all-mints.ndjson.gz", "burns": "all-burns.ndjson.gz"} {
		t.Run(field, func(t *testing.T) {
			if diff := cmp.Diff(expected(t, chainA(t, key)), s.walk(t, field, "", 100)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("rejected logs", func(t *testing.T) {
		var want []string
		for _, line := range lines(t, chainA(t, "all-rejected.ndjson")) {
			var r struct {
				BlockNumber int `json:"block_number"`
				LogIndex    int `json:"log_index"`
				Reason      string
			}
			apitest.Decode(t, line, &r)
			want = append(want, fmt.Sprintf("block=%d log=%d reason=%s", r.BlockNumber, r.LogIndex, r.Reason))
		}
		got := rows(t, open(t, db), "SELECT id >> 30 AS block, id & 0x3fffffff AS log, reason FROM rejected_logs ORDER BY id")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestImport_Again(t *testing.T) {
	db := importChainA(t)
	before := dump(t, db)
	said := importInto(t, db, nil, chainA(t, "bundle.ndjson.gz"))
	if want := "Imported 0 blocks with 0 mints and 0 burns, 361 blocks were there already.\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	checkTables(t, before, dump(t, db))
	if len(before["mints"]) != 1080 || len(before["counters"]) == 0 {
		t.Errorf("the dump has %d mints and %d counters", len(before["mints"]), len(before["counters"]))
	}
}

func TestImport_Forms(t *testing.T) {
	packed, err := os.ReadFile(chainA(t, "bundle.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half := bytes.IndexByte(plain[len(plain)/2:], '\n') + len(plain)/2 + 1
	want := content(t, importChainA(t))
	for name, form := range map[string]struct {
		stdin io.Reader
		files []string
	}{
		"plain":                   {files: []string{write("plain", plain)}},
		"zst":                     {files: []string{write("bundle.zst", encoder.EncodeAll(plain, nil))}},
		"stdin":                   {bytes.NewReader(plain), []string{"-"}},
		"stdin, packed":           {bytes.NewReader(packed), []string{"-"}},
		"two files, second first": {files: []string{write("second", plain[half:]), write("first", plain[:half])}},
		"a file and stdin":        {bytes.NewReader(plain[half:]), []string{write("begin", plain[:half]), "-"}},
		"a file twice":            {files: []string{write("once", plain), write("twice", plain)}},
		"CRLF and blank lines":    {files: []string{write("crlf", bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n\r\n")))}},
		"no newline at the end":   {files: []string{write("cut", bytes.TrimRight(plain, "\n"))}},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "form.db")
			importInto(t, db, form.stdin, form.files...)
			checkTables(t, want, content(t, db))
		})
	}
}

// TestImport_RealBlocks imports real blocks in both forms, and at once.
func TestImport_RealBlocks(t *testing.T) {
	all := map[string][]record{}
	allLines := ""
	for _, sample := range []string{"mainnet-17173049-17173050", "mainnet-18000000", "mainnet-18500000"} {
		recording := realRecording(t, sample)
		allLines += recording
		want := map[string][]record{
			"mints": expected(t, chaintest.Data(t, "real/"+sample+"/expected-mints.ndjson")),
			"burns": expected(t, chaintest.Data(t, "real/"+sample+"/expected-burns.ndjson")),
		}
		for field := range want {
			all[field] = append(all[field], want[field]...)
		}
		t.Run(sample, func(t *testing.T) { checkRecording(t, recording, want) })
	}
	if len(all["mints"]) < 20 {
		t.Errorf("the samples expect %d mints", len(all["mints"]))
	}
	t.Run("together", func(t *testing.T) { checkRecording(t, allLines, all) })
}

func checkRecording(t *testing.T, recording string, want map[string][]record) {
	db := filepath.Join(t.TempDir(), "real.db")
	importInto(t, db, strings.NewReader(recording), "-")
	s := serve(t, db)
	for field := range want {
		if diff := cmp.Diff(want[field], s.walk(t, field, "partial: true", 7)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
}

// realRecording makes an import file of a sample that has block headers.
func realRecording(t *testing.T, sample string) string {
	read := func(name string) (list []map[string]any) {
		path := filepath.Join(chaintest.Data(t, "real/"+sample), name)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return nil
		}
		apitest.Decode(t, strings.Join(lines(t, path), "\n"), &list)
		return list
	}
	var text strings.Builder
	blocks, receipts, logs := read("blocks.json.gz"), read("receipts.json.gz"), read("logs.json.gz")
	if len(blocks) == 0 || receipts == nil && logs == nil {
		t.Fatalf("%s has %d blocks, %d receipts, %d logs", sample, len(blocks), len(receipts), len(logs))
	}
	for _, block := range blocks {
		kind, items := "receipts", receipts
		if receipts == nil {
			kind, items = "logs", logs
		}
		own := []any{}
		for _, item := range items {
			if item["blockHash"] == block["hash"] {
				own = append(own, item)
			}
		}
		line, err := json.Marshal(map[string]any{"block": block, kind: own})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return text.String()
}
