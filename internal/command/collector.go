package command

import (
	"os"
	"runtime/debug"
)

// The settings of the garbage collector while requests are answered. What is in
// use is small, and what an answer leaves behind is of one size: collecting less
// often takes a quarter of an answer's processor time away, for some 15 MiB.
// Above the limit, to which what answers may be kept in is added, memory goes
// first.
const (
	garbagePercent = 400
	memoryLimit    = 512 << 20
)

// tuneCollector leaves alone what the environment sets; kept is in bytes.
func tuneCollector(kept int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit + 2*int64(kept))
	}
}
