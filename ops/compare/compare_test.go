package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestDocuments checks where documents are found, and that each is found once.
func TestDocuments(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"README.md":             "```graphql\n{ chain { lag } }\n```\n`/graphql?query=%7Ba%7D`\ncurl -d '{\"query\":\"query($n: Int) { mints(first: $n) { page } }\",\"variables\":{\"n\":1}}'\n",
		"a_test.go":             "package a\n\nvar a, b, c = `{ chain { lag } }`, \"{ b }\", \"{ %s }\"\n",
		"a.go":                  "package a\n\nvar a = `{ no }`\n",
		"bench/a.go":            "package a\n\nvar a = `{ c }`\n",
		"examples/a.graphql":    "query A { a }\nquery B { b }\n",
		"examples/a.ts":         "const a = gql`{ d }`, b = `text`\n",
		"web/a.json":            `{"1": "{ e }", "2": "text"}`,
		"web/node_modules/a.js": "`{ no }`",
		"other/a.json":          `["{ no }"]`,
	} {
		path := filepath.Join(root, name)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	list, err := documentsIn(root)
	expect.NoError(t, err)
	var got []string
	for _, d := range list {
		got = append(got, d.name+" "+strings.Join(strings.Fields(d.text), " "))
		if variables := d.variables["n"]; strings.Contains(d.text, "$n") && variables != 1.0 {
			t.Errorf("%s: variable %v", d.name, variables)
		}
	}
	slices.Sort(got)
	expect.Equal(t, "documents", []string{
		"README.md:2 { chain { lag } }", "README.md:4 {a}", "README.md:5 query($n: Int) { mints(first: $n) { page } }", "a_test.go:3 { b }",
		"bench/a.go:3 { c }", "examples/a.graphql:1 query A { a } query B { b }", "examples/a.ts:1 { d }", "web/a.json:1 { e }",
	}, got)
}

// TestInto checks which values of a document become those of a record.
func TestInto(t *testing.T) {
	address, hash := "0x"+strings.Repeat("a", 40), "0x"+strings.Repeat("b", 64)
	s := (&known{}).subject(map[string]any{"tokenAddress": "A", "tokenId": "T", "to": "B", "transactionHash": "X", "blockHash": "H", "blockNumber": 7., "timestamp": 9., "id": "I"}, "to")
	for text, want := range map[string]string{
		`{ mints(address: "` + address + `", tokenId: 5, first: 5) }`:               `{ mints(address: "A", tokenId: "T", first: 5) }`,
		`{ mints(accounts: ["` + address + `", "` + address + `"], fromBlock: 1) }`: `{ mints(accounts: ["B", "A"], fromBlock: "7") }`,
		`{ mints(block: "` + hash + `", transactionHash: "` + hash + `") }`:         `{ mints(block: "H", transactionHash: "X") }`,
		`{ node(id: "x") { id } collections(search: "x") { page } }`:                `{ node(id: "I") { id } collections(search: "x") { page } }`,
	} {
		expect.Equal(t, text, want, s.into(text))
	}
}

// TestDifference checks the masks: what they hide, and that a change beside it is reported.
func TestDifference(t *testing.T) {
	cursor := func(fill string) string { return `{"cursor":"AQABEA` + strings.Repeat(fill, 37) + `"}` }
	const failures = `{"errors":[{"message":"x","path":["a",%],"extensions":{"code":"C","ranges":[{"from":1}]}},{"message":"x","path":["a",&]}]}`
	for _, c := range [][2]string{
		{cursor("A"), cursor("-")},
		{"time=2026-01-01T00:00:00Z level=WARN\n", "time=2026-01-02T00:00:00.5Z level=WARN\n"},
		{`{"data":{"chain":{"lag":5}}}`, `{"data":{"chain":{"lag":61}}}`},
		{"mintburn_requests_total{code=\"200\"} 5\n", "mintburn_requests_total{code=\"200\"} 6\n"},
		{"follower   import on vm, process 12\nlag        5s\n", "follower   import on vm, process 130\nlag        6s\n"},
		{strings.NewReplacer("%", "0", "&", "1").Replace(failures), `{"errors":[{"message":"x","path":["a",1]},{"message":"x","path":["a",0],"extensions":{"code":"C","ranges":[{"from":1}]}}]}`},
	} {
		expect.Equal(t, c[0], "", difference([]byte(c[0]), []byte(c[1])))
		if difference([]byte("old"+c[0]), []byte("new"+c[1])) == "" || difference([]byte(c[0]), []byte(c[1]+"2")) == "" {
			t.Errorf("%s: a change beside it is not reported", c[0])
		}
	}
	expect.Equal(t, "report", "byte 2\n\told \"abc\"\n\tnew \"abd\"\n", difference([]byte("abc"), []byte("abd")))
}

// TestCompare checks the counts, the report and the list of meant differences.
func TestCompare(t *testing.T) {
	list := filepath.Join(t.TempDir(), "meant.txt")
	expect.NoError(t, os.WriteFile(list, []byte("# A comment.\nroute .*/v1/mints\\b.*  # the order of filters\n"), 0o644))
	meant, err := readMeant(list)
	expect.NoError(t, err)
	var out strings.Builder
	c := comparison{out: &out, name: "demo", meant: meant, counts: map[string]*count{}}
	c.compare("route", "/v1/burns", [2][]byte{[]byte("1"), []byte("1")}, false)
	c.compare("route", "/v1/burns?x", [2][]byte{[]byte("1"), []byte("2")}, false)
	c.compare("route", "/v1/mints?x", [2][]byte{[]byte("1"), []byte("2")}, true)
	expect.Equal(t, "differing", 1, c.summary())
	expect.Equal(t, "output", "route demo: /v1/burns?x: byte 0\n\told \"1\"\n\tnew \"2\"\ncompared 3: 3 routes (1 errors); 1 differ, 1 more are meant\n", out.String())
}
