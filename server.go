// Command mintburn indexes NFT mints, burns and token metadata of an EVM chain
// and answers questions about them over GraphQL.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"mintburn/internal/command"
)

//go:generate go run github.com/99designs/gqlgen generate

// The settings of the garbage collector. What is in use is small, and what an
// answer leaves behind is of one size: collecting less often takes a quarter of
// an answer's processor time away, for some 20 MiB. Above the limit, which a
// large import comes near, memory goes first.
const (
	garbagePercent = 400
	memoryLimit    = 512 << 20
)

// tuneCollector leaves alone what the environment sets.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

func main() {
	tuneCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
