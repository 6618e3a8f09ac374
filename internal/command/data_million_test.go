//go:build parquet

package command_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestData_Million exports 1,000,000 mints in each format in turn, and to a folder of Parquet
// files. The Parquet must contain the values of the NDJSON, be written as fast and use less than
// 200 MiB. It runs with MINTBURN_PARQUET.
func TestData_Million(t *testing.T) {
	if os.Getenv("MINTBURN_PARQUET") == "" {
		t.Skip("MINTBURN_PARQUET is not set")
	}
	w := newWarehouse(t)
	in, out := io.Pipe()
	go func() {
		o := contents(14_400, 100)
		_, err := chaintest.WriteRecording(out, o)
		_ = out.CloseWithError(err)
	}()
	db := filepath.Join(w.folder, "chain.db")
	importInto(t, db, in, "-")
	best, most := map[string]time.Duration{}, map[string]int64{}
	for range 5 {
		for _, format := range []string{"ndjson", "parquet", "csv"} {
			process := exec.CommandContext(t.Context(), "mintburn", "export", "--db", db, "mints", "--format", format, "--output", filepath.Join(w.folder, "mints."+format))
			took, peak := measured(t, process)
			if best[format] == 0 || took < best[format] {
				best[format] = took
			}
			most[format] = max(most[format], peak)
		}
	}
	folder := filepath.Join(w.folder, "mints")
	for range 3 {
		expect.NoError(t, os.RemoveAll(folder))
		for _, name := range []string{"a folder", "the same folder"} {
			process := exec.CommandContext(t.Context(), "mintburn", "export", "--db", db, "mints", "--format", "parquet", "--partition-blocks", "1000", "--output", folder)
			took, peak := measured(t, process)
			t.Logf("%s: %s, at most %d MiB of memory", name, took.Round(time.Millisecond), peak>>20)
			most["parquet"] = max(most["parquet"], peak)
		}
	}
	rows, err := strconv.Atoi(w.sameInAllFormats(t, "mints"))
	expect.NoError(t, err)
	for format, took := range best {
		info, err := os.Stat(filepath.Join(w.folder, "mints."+format))
		expect.NoError(t, err)
		t.Logf("%s: %d rows in %s, %.0f a second, at most %d MiB of memory, %d MiB", format, rows, took.Round(time.Millisecond), float64(rows)/took.Seconds(), most[format]>>20, info.Size()>>20)
	}
	if rows < 1_000_000 || most["parquet"] == 0 || most["parquet"] > 200<<20 || best["parquet"] > best["ndjson"] {
		t.Errorf("%d rows, want 1,000,000 in at most 200 MiB, and Parquet as fast as NDJSON", rows)
	}
}

var peakPattern = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// measured runs a process, and returns its duration and its peak resident memory in bytes,
// read every 20 ms. The usage that the system reports at exit may be that of this process,
// from which the other one was forked.
func measured(t *testing.T, process *exec.Cmd) (took time.Duration, peak int64) {
	t.Helper()
	var said strings.Builder
	process.Stderr = &said
	began := time.Now()
	expect.NoError(t, process.Start())
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v: %s", process.Args, err, said.String())
			}
			return time.Since(began), peak
		case <-look.C:
			// The process may have ended.
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
			if found := peakPattern.FindSubmatch(status); found != nil {
				kib, err := strconv.ParseInt(string(found[1]), 10, 64)
				expect.NoError(t, err)
				peak = kib << 10
			}
		}
	}
}
