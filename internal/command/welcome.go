package command

import (
	"fmt"
	"io"
	"strings"

	"mintburn/internal/command/console"
)

// welcome prints the addresses of a server, and how to send it a query.
func welcome(w io.Writer, base, query string, keyRequired bool) {
	key := ""
	if keyRequired {
		key = " -H 'authorization: Bearer KEY'"
	}
	request := base + "/graphql"
	if scheme, path, found := strings.Cut(base, "://unix:"); found {
		// That is how proxies name a socket; curl has an option.
		request = "--unix-socket " + console.Quoted(strings.TrimSuffix(path, ":")) + " " + scheme + "://localhost/graphql"
	}
	fmt.Fprintf(w, `
Playground:          %s/
Explore the chain:   %s/explore
Documentation:       %s/docs/
GraphQL endpoint:    %s/graphql

Try, in another terminal:

  curl -s %s -H 'content-type: application/json'%s \
    -d '{"query":"%s"}'

Stop with Ctrl-C.
`, base, base, base, base, request, key, query)
}
