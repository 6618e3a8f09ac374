// Command mintburn indexes NFT mints, burns and token metadata of an EVM chain
// and serves them over GraphQL.
package main

import (
	"context"
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // for systems without roots, such as an empty container

	"mintburn/internal/command"
)

//go:generate go run ./internal/fastql/plugin/gqlgen

func main() {
	ctx, stop := command.NotifyContext(context.Background())
	code := command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
