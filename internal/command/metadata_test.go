package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestMetadata_Anvil fetches the documents of a collection with on-chain metadata, and
// queries them.
func TestMetadata_Anvil(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs anvil")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "synced.db")
	mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
	text, err := os.ReadFile(chainA(t, "expected-onchain-metadata.ndjson"))
	expect.NoError(t, err)
	var address string
	want := map[string]map[string]any{}
	for line := range strings.Lines(string(text)) {
		var record struct {
			Address string `json:"collection_address"`
			TokenID string `json:"token_id"`
			Fields  map[string]any
		}
		expect.NoError(t, json.Unmarshal([]byte(line), &record))
		address = record.Address
		want[record.TokenID] = map[string]any{"name": record.Fields["name"], "description": record.Fields["description"], "image": record.Fields["image"]}
	}
	args := []string{"metadata", "--once", "--rpc", node, "--db", db, "--contract", address}
	// The contract has no URI for the 19 burned tokens.
	stdout, stderr, code := run(t, nil, args...)
	if code != 0 || stdout != "Resolved 39 tokens: 20 documents stored, 19 failed and will be retried.\n" || strings.Contains(stderr, "private") {
		t.Fatalf("metadata: exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = run(t, nil, append(args, "--allow-private-metadata")...)
	if code != 0 || stdout != "Resolved 0 tokens: 0 documents stored, 0 failed and will be retried.\n" ||
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
	expect.Equal(t, "got", want, got)
}

// TestMetadata_Again retries failed documents of one collection or of all, and refetches
// documents after --recheck.
func TestMetadata_Again(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node := chaintest.NewNode(t, chaintest.NodeOptions{URI: `data:application/json,{"name":1}`})
	node.Generate(contents(3, 20))
	db := filepath.Join(t.TempDir(), "synced.db")
	args := []string{"--once", "--rpc", node.URL, "--db", db}
	mustRun(t, append([]string{"sync"}, args...)...)
	node.Break(0, chaintest.Fault{Code: 3, Message: "execution reverted"}, chaintest.Method("eth_call"))
	mustRun(t, append([]string{"metadata"}, args...)...)
	var all, some int
	var address string
	err := open(t, db).QueryRow("SELECT sum(n), max(n), '0x' || lower(hex(address)) FROM (SELECT address, count(*) AS n FROM resolutions JOIN contracts ON contracts.id = contract_id GROUP BY address)").Scan(&all, &some, &address)
	if err != nil || some == all {
		t.Fatalf("%d of %d tokens are of one collection (%v)", some, all, err)
	}
	for _, test := range []struct {
		flags             []string
		documents, failed int
	}{
		{[]string{"--contract", address}, 0, some}, {nil, 0, all}, {[]string{"--recheck", "1h"}, all, 0},
	} {
		if test.failed == 0 {
			node.ClearFaults()
		}
		stdout, stderr := mustRun(t, append(append([]string{"metadata", "--retry-failed"}, args...), test.flags...)...)
		n := test.documents + test.failed
		want := fmt.Sprintf("Resolved %d tokens: %d documents stored, %d failed", n, test.documents, test.failed)
		if !strings.HasPrefix(stdout, want) || !strings.Contains(stderr, fmt.Sprintf("msg=\"retrying failed tokens\" tokens=%d\n", n)) {
			t.Errorf("%v: %s%s", test.flags, stdout, stderr)
		}
	}
	again := rows(t, open(t, db), "SELECT count(*) AS n FROM resolutions WHERE due_at = attempted_at + 3600")
	expect.Equal(t, "documents that are fetched again in an hour", []string{fmt.Sprint("n=", all)}, again)
	// Documents that were fetched without --recheck have no time for it.
	change(t, db, "UPDATE resolutions SET attempted_at = attempted_at - 3600, due_at = NULL")
	stdout, _ := mustRun(t, append([]string{"metadata", "--recheck", "1h"}, args...)...)
	expect.Equal(t, "of such documents", fmt.Sprintf("Resolved %d tokens: %[1]d documents stored, 0 failed and will be retried.\n", all), stdout)
}
