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

// raceOptions are for the processes that tests start. By default, a program with the race
// detector waits a second before it exits.
const raceOptions = "atexit_sleep_ms=0"

// TestMain makes the test binary also the program: it is in PATH as mintburn, for scripts
// and for tests that need a process to kill.
//
// More tests run at once than there are processors, because many of them wait. The flag
// -parallel overrides that. A server inside the test binary sets no memory limit, because
// the tests' nodes would keep the garbage collector busy near it. The program sets one.
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
			os.Exit(command.RunAt(ctx, repository, processClock(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}
