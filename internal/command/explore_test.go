package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/testing/expect"
)

// hostileCollection is a collection of the demo whose newest tokens have no document.
const hostileCollection = "0x5fbdb2315678afecb367f032d93f642f64180aa3"

// hostileDocuments returns documents for its tokens, by id.
func hostileDocuments() map[string]map[string]any {
	const attack = `document.title='attacked'`
	return map[string]map[string]any{
		"156": {
			"name": `<img src=x onerror="` + attack + `">`, "description": `<script>` + attack + `</script>` + strings.Repeat("long ", 20_000),
			"image": "javascript:" + attack, "external_url": "javascript:" + attack, "animation_url": "data:text/html,<script>" + attack + "</script>",
			"youtube_url": "http://127.0.0.1:9/admin", "background_color": "red;}*{display:none",
			"attributes": []map[string]any{{"trait_type": `<b onclick="` + attack + `">`, "value": "</script><script>" + attack + "</script>"}},
		},
		"155": {"name": "\u202Egnp.live\u0000 " + strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 2_000), "image": "data:text/html,<script>" + attack + "</script>"},
		"154": {
			"name": "Drawing", "image_data": `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="` + attack + `"><script>` + attack +
				`</script><image href="https://drawn.example/1.png" width="9" height="9"/><rect width="9" height="9" fill="teal"/></svg>`,
		},
		"153": {"name": "Hosted", "image": "https://images.example/153.png", "external_url": "https://site.example/153"},
		"152": {"name": "On IPFS", "image": "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/152.png"},
		"151": {"name": "Out of the gateway", "image": "ipfs://x/../../secret"},
		"150": {"name": "At home", "image": "http://192.168.1.1/reboot.png"},
		"149": {"name": "Next door", "image": "https://printer.local/149.png"},
		"148": {"name": "At Arweave", "image": "ar://txid/148.png"},
	}
}

// blockTime matches the time of a demo block, which importHostile replaces.
var blockTime = regexp.MustCompile(`"timestamp":"0x[0-9a-f]+"`)

// importHostile returns a database with the demo's chain at one block every six hours, two
// unindexed ranges, and hostile documents.
func importHostile(t *testing.T) string {
	t.Helper()
	db, blocks := filepath.Join(t.TempDir(), "hostile.db"), demoBlocks(t)
	for i, block := range blocks {
		if !blockTime.MatchString(block) {
			t.Fatalf("block %d has no time: %.300s", i, block)
		}
		blocks[i] = blockTime.ReplaceAllString(block, fmt.Sprintf(`"timestamp":"%#x"`, 1_700_000_000+i*6*3600))
	}
	for _, part := range [][]string{blocks[:100], blocks[140:250], blocks[251:]} {
		importInto(t, db, strings.NewReader(strings.Join(part, "\n")), "-")
	}
	var text []string
	for id, document := range hostileDocuments() {
		inner, err := json.Marshal(document)
		expect.NoError(t, err)
		line, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"address": hostileCollection, "tokenId": id, "uri": "https://documents.example/" + id, "fetchedAt": 1700005534, "document": string(inner),
		}})
		expect.NoError(t, err)
		text = append(text, string(line))
	}
	slices.Sort(text)
	importInto(t, db, strings.NewReader(strings.Join(text, "\n")), "-")
	// A follower is gone since then.
	edit(t, db, `INSERT INTO settings (id, value) VALUES ('endpoints', '[{"url": "https://node.example", "healthy": true, "head": 360, "seen_at": 1700005534}]')`)
	return db
}

// TestExplore_InABrowser drives Explore in Chromium, with the demo and with a database that
// has unindexed ranges and hostile documents. A gateway in the test serves ipfs: and ar:
// images.
func TestExplore_InABrowser(t *testing.T) {
	t.Parallel()
	neededPage(t)
	neededBrowser(t)
	var outside atomic.Int64
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/ipfs/bafy") && !strings.HasPrefix(r.URL.Path, "/txid/") {
			outside.Add(1)
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="gold"/></svg>`))
	}))
	defer gateway.Close()
	hostile := start(t, "serve", "--db", importHostile(t), "--ipfs-gateway", gateway.URL, "--arweave-gateway", gateway.URL)
	npm(t, filepath.Join(root, "web"), []string{
		"MINTBURN_URL=" + start(t, "demo").Base + "/", "HOSTILE_URL=" + hostile.Base + "/", "HOSTILE_COLLECTION=" + hostileCollection, "GATEWAY_URL=" + gateway.URL + "/",
	}, "test:explore")
	if outside.Load() != 0 {
		t.Errorf("the gateway got %d requests that no document may cause", outside.Load())
	}
}
