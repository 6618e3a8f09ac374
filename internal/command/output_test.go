package command_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/export"
	"mintburn/internal/testing/expect"
)

// TestExport_Endings checks that the ending of --output sets format and compression, that --format
// must agree with it, and that a replaced file is named.
func TestExport_Endings(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	folder := t.TempDir()
	want := map[string]string{}
	for _, format := range []string{"ndjson", "csv"} {
		want[format], _ = mustRun(t, "export", "--db", db, "burns", "--format", format)
	}
	for _, c := range []struct {
		file, format string
		args         []string
	}{
		{"a.csv", "csv", nil},
		{"a.CSV", "csv", nil},
		{"a.ndjson", "ndjson", nil},
		{"a.csv.gz", "csv", nil},
		{"a.ndjson.zst", "ndjson", nil},
		{"a.gz", "csv", []string{"--format", "csv"}},
		{"a.txt", "csv", []string{"--format", "csv"}},
		{"a.txt", "ndjson", nil},
		{"a.csv", "csv", []string{"--format=csv"}},
		{"csv", "ndjson", nil},
	} {
		file := filepath.Join(folder, c.file)
		_, err := os.Stat(file)
		stdout, said := mustRun(t, append([]string{"export", "--db", db, "burns", "--output", file}, c.args...)...)
		if replaced := err == nil; stdout != "" || replaced != (strings.Count(said, "Replaced "+file+".\n") == 1) {
			t.Errorf("%v: it printed %q and said %q", c, stdout, said)
		}
		packed, err := os.Open(file)
		expect.NoError(t, err)
		defer packed.Close()
		var unpacked io.Reader = packed
		switch filepath.Ext(c.file) {
		case ".gz":
			unpacked, err = gzip.NewReader(packed)
		case ".zst":
			unpacked, err = zstd.NewReader(packed)
		}
		expect.NoError(t, err)
		text, err := io.ReadAll(unpacked)
		expect.NoError(t, err)
		expect.Equal(t, c.file, want[c.format], string(text))
	}
	for args, complaint := range map[string]string{
		"--output b.csv --format ndjson":      "--format: got ndjson, want csv as in --output b.csv",
		"--output b.ndjson.gz --format csv":   "--format: got csv, want ndjson as in --output b.ndjson.gz",
		"--output b.parquet.gz":               "--output: got b.parquet.gz, want a name without .gz",
		"--output b.zst --format parquet":     "--output: got b.zst, want a name without .zst",
		"--output - --partition-blocks 5":     "--partition-blocks: want --output FOLDER",
		"--output b.csv --format parquet":     "--format: got parquet, want csv",
		"--output b.PARQUET.zst --format csv": "--format: got csv, want parquet",
	} {
		fails(t, 2, complaint, append([]string{"export", "--db", db, "burns"}, strings.Fields(args)...)...)
	}
	if stdout, _ := mustRun(t, "export", "--db", db, "burns", "--output", "-", "--format", "csv"); stdout != want["csv"] {
		t.Errorf("--output - has %d bytes, want %d", len(stdout), len(want["csv"]))
	}
	if !export.HasParquet {
		fails(t, 2, "this build has no Parquet", "export", "--db", db, "burns", "--output", filepath.Join(folder, "b.parquet"))
	}
}
