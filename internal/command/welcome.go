package command

import (
	"fmt"
	"io"
)

// welcome prints the addresses of a server, and how to send it a query.
func welcome(w io.Writer, base, query string, keyRequired bool) {
	key := ""
	if keyRequired {
		key = " -H 'authorization: Bearer KEY'"
	}
	fmt.Fprintf(w, `
Playground:          %s/
Explore the chain:   %s/explore
Documentation:       %s/docs/
GraphQL endpoint:    %s/graphql

Try, in another terminal:

  curl -s %s/graphql -H 'content-type: application/json'%s \
    -d '{"query":"%s"}'

Stop with Ctrl-C.
`, base, base, base, base, base, key, query)
}
