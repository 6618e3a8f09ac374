// Command mintburn indexes NFT mints, burns and token metadata of an EVM chain
// and answers questions about them over GraphQL.
package main

import (
	"context"
	"os"
	"runtime"

	_ "golang.org/x/crypto/x509roots/fallback" // for systems without roots, such as an empty container

	"mintburn/internal/command"
)

//go:generate go run ./internal/fastql/plugin/gqlgen

func main() {
	// No heap profile is ever written; a sample for one takes time nevertheless.
	runtime.MemProfileRate = 0
	ctx, stop := command.NotifyContext(context.Background())
	code := command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
