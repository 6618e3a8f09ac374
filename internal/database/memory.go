//go:build cgo && !nosqlite

package database

/*
// go-sqlite3 has both in the program, and no header for them. They are weak, because cgo links this
// package alone first.
int sqlite3_config(int, ...) __attribute__((weak));
int sqlite3_status(int, int *, int *, int) __attribute__((weak));

static int countNoMemory(void) { return sqlite3_config(9, 0); }  // SQLITE_CONFIG_MEMSTATUS

static int memoryUsed(void) {
	int now = 0, most;
	sqlite3_status(0, &now, &most, 0);  // SQLITE_STATUS_MEMORY_USED
	return now;
}
*/
import "C"

import (
	"log/slog"
	"sync"
)

// countNoMemory turns off SQLite's count of its memory, which all connections would keep behind one
// mutex: with sixteen readers, most of their time. It must come before the first connection of the
// process; https://sqlite.org/c3ref/config.html.
var countNoMemory = sync.OnceFunc(func() {
	if code := C.countNoMemory(); code != 0 {
		slog.Warn("SQLite counts its memory, so readers wait for each other: a database was open before", "code", int(code))
	}
})

// memoryUsed returns the bytes that SQLite counts as used, 0 after [countNoMemory].
func memoryUsed() int { return int(C.memoryUsed()) }
