package command_test

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mintburn/internal/command"
)

// TestMain lets the test binary be the program itself: it is in PATH as
// mintburn, for scripts and for tests that need a process to kill.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mintburn": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}
