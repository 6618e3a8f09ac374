//go:build parquet

package export

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"mintburn/internal/store"
	"mintburn/internal/testing/expect"
)

// TestParquet_Memory writes documents with different texts of 26 MiB, almost a row group, and
// checks how many bytes the writer keeps.
func TestParquet_Memory(t *testing.T) {
	const most = 10 << 20
	w, err := newParquet(io.Discard, documentColumns)
	expect.NoError(t, err)
	before := heap()
	rows := make([]*store.TokenMetadata, 1000)
	for page := range 24 {
		for i := range rows {
			n := page*len(rows) + i
			text := fmt.Sprintf("%01100d", n)
			rows[i] = &store.TokenMetadata{}
			rows[i].Description, rows[i].Image = &text, &text
		}
		expect.NoError(t, w.write(rows))
	}
	if kept := heap() - before; kept > most {
		t.Errorf("the writer keeps %d bytes, want at most %d", kept, most)
	}
	expect.NoError(t, w.end(nil))
}

// heap returns the bytes of live objects, without those that pools keep.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
