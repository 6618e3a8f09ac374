//go:build linux

package command

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestServe_Terminal checks that a server on a terminal prints its addresses, and a request with a
// key where one is needed.
func TestServe_Terminal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db, keys := filepath.Join(folder, "served.db"), filepath.Join(folder, "keys")
	var line, stderr bytes.Buffer
	for _, args := range [][]string{{"import", "--db", db, chaintest.Data(t, "chain-a/bundle.ndjson.gz")}, {"keys", "new", "alice"}} {
		line.Reset()
		if code := Run(t.Context(), nil, args, nil, &line, &stderr); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, &stderr)
		}
	}
	expect.NoError(t, os.WriteFile(keys, line.Bytes(), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `-H 'content-type: application/json' \\\r?\n`},
		{[]string{"--api-keys", keys, "--require-api-key"}, `-H 'authorization: Bearer KEY' \\\r?\n`},
	} {
		terminal, shown := openTerminal(t)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int)
		go func() {
			ended <- Run(ctx, os.DirFS("../.."), append([]string{"serve", "--db", db, "--listen", "127.0.0.1:0"}, c.args...), nil, &screen{}, terminal)
		}()
		shown.await(t, c.want)
		shown.await(t, "Stop with Ctrl-C")
		found := regexp.MustCompile(`GraphQL endpoint: +(http://127\.0\.0\.1:\d+)/graphql`).FindStringSubmatch(shown.String())
		if found == nil {
			t.Fatalf("no address in %q", shown)
		}
		answer, err := http.Get(found[1] + "/healthz")
		expect.NoError(t, err)
		expect.NoError(t, answer.Body.Close())
		if stop(); answer.StatusCode != http.StatusOK || <-ended != 0 {
			t.Errorf("status %d", answer.StatusCode)
		}
	}
}
