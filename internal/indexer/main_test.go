package indexer_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be a follower, too, in a process that can be
// killed: it is in PATH as follow. GORACE keeps it from waiting at its end when
// the race detector is on.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"follow": followCommand})
}
