package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
)

// TestMetadata_Anvil resolves a collection whose documents are on the chain,
// and asks for them.
func TestMetadata_Anvil(t *testing.T) {
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "synced.db")
	mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
	text, err := os.ReadFile(chainA(t, "expected-onchain-metadata.ndjson"))
	noError(t, err)
	var address string
	want := map[string]map[string]any{}
	for line := range strings.Lines(string(text)) {
		var record struct {
			Address string `json:"collection_address"`
			TokenID string `json:"token_id"`
			Fields  map[string]any
		}
		noError(t, json.Unmarshal([]byte(line), &record))
		address = record.Address
		want[record.TokenID] = map[string]any{"name": record.Fields["name"], "description": record.Fields["description"], "image": record.Fields["image"]}
	}
	args := []string{"metadata", "--once", "--rpc", node, "--db", db, "--contract", address}
	// The contract knows nothing of the 19 that were burned.
	stdout, stderr, code := run(t, nil, args...)
	if code != 0 || stdout != "Resolved 39 tokens: 20 have a document, 19 failed and will be retried.\n" || strings.Contains(stderr, "private") {
		t.Fatalf("metadata: exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = run(t, nil, append(args, "--allow-private-metadata")...)
	if code != 0 || stdout != "Resolved 0 tokens: 0 have a document, 0 failed and will be retried.\n" ||
		!strings.Contains(stderr, "level=WARN msg=\"token documents may come from private and loopback addresses") {
		t.Fatalf("metadata again: exit code %d: %s%s", code, stdout, stderr)
	}
	answer := serve(t, db).Get(t, `{ tokenMetadata(address: "`+address+`", first: 100) { data { tokenId name description image } } }`, "")
	got := map[string]map[string]any{}
	for _, record := range answer["tokenMetadata"].(map[string]any)["data"].([]any) {
		fields := record.(map[string]any)
		id := fields["tokenId"].(string)
		delete(fields, "tokenId")
		if want[id] != nil {
			got[id] = fields
		}
	}
	checkEqual(t, "got", want, got)
}
