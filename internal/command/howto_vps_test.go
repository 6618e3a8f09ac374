package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestHowTo_VPS starts a server with the configuration of docs/vps.md: it follows the node, and wants a
// key and the documented host.
func TestHowTo_VPS(t *testing.T) {
	t.Parallel()
	node, folder := chaintest.NewNode(t, chaintest.NodeOptions{}), t.TempDir()
	node.MineEmpty(5)
	line, _ := mustRun(t, "keys", "new", "alice")
	keys, config := filepath.Join(folder, "api-keys"), filepath.Join(folder, "mintburn.toml")
	expect.NoError(t, os.WriteFile(keys, []byte(line), 0o600))
	text := strings.NewReplacer("wss://your-node.example", node.URL, "/etc/mintburn/api-keys", keys, "from-block = 12000000", "from-block = 1", "127.0.0.1:9090", "127.0.0.1:0").Replace(fenceOf(t, "docs/vps.md", "toml"))
	expect.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	mustRun(t, "config", "check", config, "serve")
	s := start(t, "serve", "--config", config, "--db", filepath.Join(folder, "mintburn.db"), "--log-format", "text")
	for host, want := range map[string]int{"nft.example.org": http.StatusUnauthorized, "other.example": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+"/graphql?query={chain{lag}}", http.NoBody)
		expect.NoError(t, err)
		r.Host = host
		got, err := http.DefaultClient.Do(r)
		expect.NoError(t, err)
		expect.NoError(t, got.Body.Close())
		expect.Equal(t, host, want, got.StatusCode)
	}
}
