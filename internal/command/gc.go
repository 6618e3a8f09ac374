package command

import (
	"os"
	"runtime/debug"
)

// The settings of the garbage collector for a server, whose live heap is small. At
// 400 % a request takes a quarter less processor time than at Go's 100 %; at 250 % it
// takes 2 to 4 % more than at 400 %, but the process takes 8 MiB less. Above the memory
// limit the collector runs as often as it must.
const (
	garbagePercent = 250
	memoryLimit    = 384 << 20
)

// tuneCollector sets the garbage collector, unless GOGC and GOMEMLIMIT do. cache is
// the size of the response cache in bytes.
func tuneCollector(cache int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit + 2*int64(cache))
	}
}
