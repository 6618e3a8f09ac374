package command_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mintburn/internal/command"
)

// raceOptions are for the processes that tests start: with the race detector
// on, a program waits a second before it ends, unless told otherwise.
const raceOptions = "atexit_sleep_ms=0"

// TestMain lets the test binary be the program itself: it is in PATH as
// mintburn, for scripts and for tests that need a process to kill. More tests run at
// once than there are processors, because many wait; -parallel overrides that. A server
// within the test binary sets no limit of its memory, near which the nodes of the tests
// would keep the collector busy; the program itself does.
func TestMain(m *testing.M) {
	if err := errors.Join(flag.Set("test.parallel", "4"), os.Setenv("GORACE", raceOptions), os.Setenv("GOMEMLIMIT", "off")); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"mintburn": func() {
			if err := os.Unsetenv("GOMEMLIMIT"); err != nil {
				panic(err)
			}
			ctx, stop := command.NotifyContext(context.Background())
			defer stop()
			os.Exit(command.RunAt(ctx, processClock(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}
