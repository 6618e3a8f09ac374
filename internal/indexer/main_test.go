package indexer_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be a follower, too, in a process that can be
// killed: it is in PATH as follow. GORACE keeps it from waiting at its end when
// the race detector is on. Nodes hold whole chains, so the collector runs less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"follow": followCommand})
}
