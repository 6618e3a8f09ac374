// Command mintburn indexes NFT mints, burns and token metadata of an EVM chain
// and serves them over GraphQL.
package main

import (
	"context"
	"embed"
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // for systems without roots, such as an empty container

	"mintburn/internal/command"
)

//go:generate go run ./internal/fastql/plugin/gqlgen

// files are the documents that the program shows at /docs, and the files that they link to.
//
//go:embed *.md docs LICENSE compose.yaml schema.graphqls
//go:embed ops/mintburn.service ops/alerts.yaml ops/kubernetes.yaml ops/deb/nfpm.yaml
//go:embed examples/README.md examples/apollo/src/main.jsx examples/urql/src/main.jsx examples/typescript/src/*.ts
//go:embed examples/verify-proof/README.md examples/verify-proof/verify.js
//go:embed examples/live/live.js examples/reorgs/mints.js examples/urql/schema.js
var files embed.FS

func main() {
	ctx, stop := command.NotifyContext(context.Background())
	code := command.Run(ctx, files, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
