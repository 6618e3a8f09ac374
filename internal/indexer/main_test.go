package indexer_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts the test binary into PATH as follow, which runs a follower in a process
// that can be killed. GORACE keeps that process from waiting at exit under the race
// detector. Nodes keep whole chains in memory, so the garbage collector runs less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"follow": followCommand})
}
