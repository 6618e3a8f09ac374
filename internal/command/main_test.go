package command_test

import (
	"context"
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
// once than there are processors, because many wait; -parallel overrides that.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	if err := os.Setenv("GORACE", raceOptions); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"mintburn": func() {
			ctx, stop := command.NotifyContext(context.Background())
			defer stop()
			os.Exit(command.RunAt(ctx, processClock(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}
