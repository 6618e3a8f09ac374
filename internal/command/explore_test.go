package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// attack is a script that no page may run.
const attack = `document.title='attacked'`

// hostileDocuments are documents of tokens that try to break out of the page.
var hostileDocuments = []map[string]any{
	{
		"name": `<img src=x onerror="` + attack + `">`, "description": `<script>` + attack + `</script>` + strings.Repeat("long ", 20_000),
		"image": "javascript:" + attack, "external_url": "javascript:" + attack, "animation_url": "data:text/html,<script>" + attack + "</script>",
		"youtube_url": "http://127.0.0.1:9/admin", "background_color": "red;}*{display:none",
		"attributes": []map[string]any{
			{"trait_type": `<b onclick="` + attack + `">`, "value": "</script><script>" + attack + "</script>"},
			{"trait_type": "\u202Eesrever", "value": strings.Repeat("endless", 1_500)},
		},
	},
	{"name": "\u202Egnp.live\u0000 " + strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 2_000), "image": "data:text/html,<script>" + attack + "</script>"},
	{
		"name": "Drawing", "image_data": `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="` + attack + `"><script>` + attack +
			`</script><image href="https://drawn.example/1.png" width="9" height="9"/><rect width="9" height="9" fill="teal"/></svg>`,
	},
	{"name": "Hosted", "image": "https://images.example/153.png", "external_url": "https://site.example/153"},
	{"name": "On IPFS", "image": "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/152.png"},
	{"name": "Out of the gateway", "image": "ipfs://x/../../secret"},
	{"name": "At home", "image": "http://192.168.1.1/reboot.png"},
	{"name": "Next door", "image": "https://printer.local/149.png"},
	{"name": "At Arweave", "image": "ar://txid/148.png"},
}

// hostileContract is the document of the contract of these tokens.
var hostileContract = map[string]any{
	"name": `<i onclick="` + attack + `">` + strings.Repeat("N", 200), "description": "<script>" + attack + "</script>\u202E" + strings.Repeat("word ", 2_000),
	"image": "https://contract.example/1.png", "external_url": "javascript:" + attack,
}

// blockTime matches the time of a demo block, which importHostile replaces.
var blockTime = regexp.MustCompile(`"timestamp":"0x[0-9a-f]+"`)

// importHostile returns a database with the demo's chain at one block every six hours, two
// unindexed ranges, and hostile documents of the newest tokens of a collection, with the
// collection and the tokens.
func importHostile(t *testing.T) (db, collection string, tokens []string) {
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
	collection, tokens = newestTokens(t, db, len(hostileDocuments))
	var text []string
	for i, document := range hostileDocuments {
		inner, err := json.Marshal(document)
		expect.NoError(t, err)
		line, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"address": collection, "tokenId": tokens[i], "uri": "https://documents.example/" + tokens[i], "fetchedAt": 1700005534, "document": string(inner),
		}})
		expect.NoError(t, err)
		text = append(text, string(line))
	}
	importInto(t, db, strings.NewReader(strings.Join(text, "\n")), "-")
	contract, err := json.Marshal(hostileContract)
	expect.NoError(t, err)
	edit(t, db,
		// A follower is gone since then.
		`INSERT INTO settings (id, value) VALUES ('endpoints', '[{"url": "https://node.example", "healthy": true, "head": 360, "seen_at": 1700005534}]')`,
		`DELETE FROM contract_metadata`,
		fmt.Sprintf(`INSERT INTO contract_metadata (contract_id, state, attempts, attempted_at, fetched_at, name, symbol, content)
			SELECT id, 'done', 0, 1700005534, 1700005534, CAST(x'%x' AS TEXT), '<b>', CAST(x'%x' AS TEXT) FROM contracts WHERE address = x'%s'`,
			hostileContract["name"], contract, strings.TrimPrefix(collection, "0x")))
	return db, collection, tokens
}

// newestTokens returns the ERC-721 collection of the newest mints that has enough of them, and
// that many of its tokens, newest first.
func newestTokens(t *testing.T, db string, number int) (collection string, tokens []string) {
	t.Helper()
	s := start(t, "serve", "--db", db)
	mints, ok := apitest.At(s.Get(t, `{ mints(order: DESC, partial: true, first: 1000) { data { tokenAddress tokenId contractType } } }`, ""), "mints", "data").([]any)
	if !ok {
		t.Fatal("no mints")
	}
	of := map[string][]string{}
	for _, mint := range mints {
		address, _ := apitest.At(mint, "tokenAddress").(string)
		token, _ := apitest.At(mint, "tokenId").(string)
		if apitest.At(mint, "contractType") != "ERC721" {
			continue
		}
		if of[address] = append(of[address], token); len(of[address]) == number {
			return address, of[address]
		}
	}
	t.Fatalf("no collection has %d mints", number)
	return "", nil
}

// proxied returns the URL of a server below a path of a proxy.
func proxied(t *testing.T, s *server) string {
	t.Helper()
	target, err := url.Parse(s.Base)
	expect.NoError(t, err)
	proxy := httptest.NewServer(http.StripPrefix("/nft", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
	}}))
	t.Cleanup(proxy.Close)
	return proxy.URL + "/nft/"
}

// TestExplore_InABrowser drives Explore in Chromium, with the demo, with servers that need a
// key or trusted documents, and with a database that has unindexed ranges and hostile documents. A gateway in the
// test serves ipfs: and ar: images.
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
	db, collection, tokens := importHostile(t)
	hostile := start(t, "serve", "--db", db, "--ipfs-gateway", gateway.URL, "--arweave-gateway", gateway.URL)
	shown := start(t, "demo")
	line, printed := mustRun(t, "keys", "new", "viewer")
	keys := filepath.Join(t.TempDir(), "keys")
	expect.NoError(t, os.WriteFile(keys, []byte(line), 0o600))
	keyed := start(t, "demo", "--api-keys", keys, "--require-api-key", "--explorer-url", "https://scan.example/chain")
	trusted := filepath.Join(t.TempDir(), "trusted.json")
	expect.NoError(t, os.WriteFile(trusted, []byte(`{"other": "{ __typename }"}`), 0o600))
	npm(t, filepath.Join(root, "web"), []string{
		"TRUSTING_URL=" + start(t, "demo", "--trusted-documents", trusted).Base + "/",
		"MINTBURN_URL=" + shown.Base + "/", "PROXIED_URL=" + proxied(t, shown), "HOSTILE_URL=" + hostile.Base + "/", "HOSTILE_COLLECTION=" + collection, "HOSTILE_TOKENS=" + strings.Join(tokens, ","),
		"GATEWAY_URL=" + gateway.URL + "/", "KEYED_URL=" + keyed.Base + "/", "API_KEY=" + regexp.MustCompile(`mintburn_[0-9a-f]+`).FindString(printed),
	}, "test:explore")
	if outside.Load() != 0 {
		t.Errorf("the gateway got %d requests that no document may cause", outside.Load())
	}
}

// TestChains_InABrowser drives the pages of the demo's chain and of the recorded one in Chromium.
func TestChains_InABrowser(t *testing.T) {
	t.Parallel()
	neededPage(t)
	neededBrowser(t)
	chains := []string{"serve", "--chain", "demo=" + importDemo(t), "--chain", "recorded=" + importChainA(t)}
	s := start(t, chains...)
	npm(t, filepath.Join(root, "web"), []string{
		"CHAINS_URL=" + s.Base + "/", "PROXIED_URL=" + proxied(t, s), "DEFAULT_URL=" + start(t, append(chains, "--default-chain", "demo")...).Base + "/",
	}, "test:chains")
}
