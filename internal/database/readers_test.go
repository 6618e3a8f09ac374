//go:build cgo && !nosqlite

package database

import (
	"fmt"
	"runtime"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestReaders checks that readers of a file follow the processors, and together have as much as five.
func TestReaders(t *testing.T) {
	for _, c := range []struct{ processors, readers, each int }{{1, 5, 4_000}, {4, 5, 4_000}, {5, 6, 3_333}, {16, 17, 1_176}} {
		before := runtime.GOMAXPROCS(c.processors)
		readers := DefaultReaders("x.db", 1)
		runtime.GOMAXPROCS(before)
		what := fmt.Sprint(c.processors, " processors")
		expect.Equal(t, what, c.readers, readers)
		expect.Equal(t, what+": cache", c.each, perReader(readerCache, readers))
	}
	before := runtime.GOMAXPROCS(16)
	expect.Equal(t, "on PostgreSQL, of 1, 4 and 20 databases", [3]int{64, 16, 4}, [3]int{DefaultReaders("postgres://x", 1), DefaultReaders("postgres://x", 4), DefaultReaders("postgres://x", 20)})
	runtime.GOMAXPROCS(before)
	expect.Equal(t, "one reader", readerCache, perReader(readerCache, 1))
}
