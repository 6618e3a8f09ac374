package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// oddDocuments returns lines of an import: documents whose texts need escapes, have the marks of
// the stored form, or are large, with URIs of each kind.
func oddDocuments(t *testing.T) string {
	t.Helper()
	// An ERC-1155 and an ERC-721 collection of the demo, and one without records.
	const mondays, drift, other = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512", "0x5fbdb2315678afecb367f032d93f642f64180aa3", "0x00000000000000000000000000000000000000aa"
	var b strings.Builder
	line := func(kind string, fields map[string]any) {
		fields["fetchedAt"] = 1_794_000_000
		text, err := json.Marshal(map[string]any{kind: fields})
		expect.NoError(t, err)
		b.Write(append(text, '\n'))
	}
	id := 1_000_000
	for _, uri := range []string{
		"", "ipfs://x/{id}.json", `data:application/json,{"name":"<&\u2028>"}`, "\x00\t\"\u2028\u202e é",
	} {
		for _, document := range []string{
			`{"name":"one"}`, `{"name":"\u0000\ud800\ud83d\ude00\\n"}`, "\ufeff \r\n{\"name\":\"<&>\u2028\u2029\u007f\",\"image\":\"x\",\t\"description\":\"a\\\"b\"}\n",
			`{"name":"a","description":"a","image":"a","external_url":"{id} of {ID}","image_data":"\\1 \\8"}`, `{"name":"\u005c1","image":"\\1"}`, `{"attributes":[{"trait_type":"é","value":1e400}]}`,
			`{"name":"` + strings.Repeat("long ", 4000) + `"}`,
		} {
			for _, of := range []string{mondays, drift, other} {
				id++
				fields := map[string]any{"address": of, "tokenId": fmt.Sprint(id), "uri": uri, "document": document}
				if of == mondays {
					fields["contractType"] = "ERC1155"
				}
				line("metadata", fields)
			}
		}
	}
	// By EIP-1155, {id} stands for the token id, whether the URI has it or not.
	line("metadata", map[string]any{"address": mondays, "tokenId": "77", "uri": "ipfs://x", "document": `{"name":"{id}"}`, "contractType": "ERC1155"})
	line("metadata", map[string]any{"address": drift, "tokenId": "77", "uri": "ipfs://x", "document": `{"name":"{id}"}`, "contractType": "ERC721"})
	large := `{"name":"%s","description":"` + strings.Repeat("é\\u0007", 100_000) + `"}`
	line("metadata", map[string]any{"address": other, "tokenId": "1", "uri": "", "document": fmt.Sprintf(large, "token")})
	line("collection", map[string]any{"address": other, "uri": "", "document": fmt.Sprintf(large, ""), "name": "Called", "symbol": "C"})
	line("collection", map[string]any{"address": mondays, "uri": "x", "document": `{"name":"","image":"\\1"}`, "name": "From the contract"})
	line("collection", map[string]any{"address": drift, "uri": "x", "document": `{"name":" From the\u0007document","symbol":""}`, "name": "From the contract", "symbol": "S"})
	return b.String()
}

// TestExport_Documents exports the documents of a database and imports them into another one with
// the same blocks. Their metadata must then be equal.
func TestExport_Documents(t *testing.T) {
	t.Parallel()
	skipShort(t, "exports many times")
	recorded := filepath.Join(t.TempDir(), "blocks.ndjson")
	expect.NoError(t, os.WriteFile(recorded, []byte(strings.Join(demoBlocks(t), "\n")), 0o600))
	other := map[bool]func(testing.TB) string{false: storetest.SQLite, true: storetest.Postgres}
	storetest.Each(t, func(t *testing.T, db string) {
		importInto(t, db, nil, filepath.Join("..", "demo", "chain.ndjson.gz"))
		imported := importInto(t, db, strings.NewReader(oddDocuments(t)), "-")
		if strings.Contains(imported, "rejected") {
			t.Errorf("the odd documents: %s", imported)
		}
		documents := filepath.Join(t.TempDir(), "documents.ndjson")
		_, said := mustRun(t, "export", "--db", db, "documents", "--output", documents)
		if !strings.HasPrefix(said, "Exported 843 documents.") {
			t.Errorf("export: %s", said)
		}
		again := other[strings.HasSuffix(db, ".db")](t)
		importInto(t, again, nil, recorded)
		got := importInto(t, again, nil, documents)
		if want := "Imported 0 blocks with 0 mints and 0 burns, 837 token documents, 6 collection documents.\n"; got != want {
			t.Errorf("import: got %swant %s", got, want)
		}
		for _, args := range []string{"metadata", "collections", "tokens", "documents", "documents --address 0x5fbdb2315678afecb367f032d93f642f64180aa3"} {
			command := append([]string{"export"}, strings.Fields(args)...)
			want, _ := mustRun(t, append(command, "--db", db)...)
			got, _ := mustRun(t, append(command, "--db", again)...)
			if got != want {
				t.Errorf("%s: %d and %d lines, or others", args, strings.Count(want, "\n"), strings.Count(got, "\n"))
			}
		}
		const query = `{ collections(first: 20) { data { address name symbol metadata {
			name symbol description image bannerImage featuredImage externalUrl collaborators raw uri state error fetchedAt } } } }`
		expect.Equal(t, "collections", serve(t, db).Get(t, query, ""), serve(t, again).Get(t, query, ""))
		mustRun(t, "check", "--db", again)
	})
}

// TestExport_DocumentsContinued exports the documents of a collection from a cursor on.
func TestExport_DocumentsContinued(t *testing.T) {
	t.Parallel()
	skipShort(t, "exports many times")
	db := storetest.SQLite(t)
	importInto(t, db, strings.NewReader(oddDocuments(t)), "-")
	const address = "0x5fbdb2315678afecb367f032d93f642f64180aa3"
	all, said := mustRun(t, "export", "--db", db, "documents", "--address", address)
	first, rest, _ := strings.Cut(all, "\n")
	want := `{"collection":{"address":"` + address + `","uri":"x","fetchedAt":1794000000,"document":"{\"name\":\" From the\\u0007document\",\"symbol\":\"\"}","name":"From the` + "\ufffd" + `document","symbol":"S"}}`
	expect.Equal(t, "the first line", want, first)
	if n := strings.Count(rest, `{"metadata":{"address":"`+address+`","tokenId":"`); n != 29 || strings.Count(rest, "\n") != n {
		t.Errorf("%d documents of tokens, want 29", n)
	}
	_, cursor, _ := strings.Cut(strings.TrimSpace(said), "--after ")
	none, said := mustRun(t, "export", "--db", db, "documents", "--address", address, "--after", cursor)
	expect.Equal(t, "after the last", "Exported 0 documents. To continue later: --after "+cursor, none+strings.TrimSpace(said))
	fails(t, 2, "the cursor belongs to another filter or order", "export", "--db", db, "documents", "--after", cursor)
}
