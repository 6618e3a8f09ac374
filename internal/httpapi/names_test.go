package httpapi_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/apitest"
	"mintburn/internal/expect"
	"mintburn/internal/httpapi"
)

// TestNames_Suggested sends names of the documented operations and of other APIs.
func TestNames_Suggested(t *testing.T) {
	open, hidden := serve(t), serve(t, func(c *httpapi.Config) { c.Introspection = false })
	for query, want := range map[string]string{
		"{ mints(block_number_or_hash: 3) { page } }":                            "block",
		"{ mints(cursor: null) { page } }":                                       "after",
		"{ burns(limit: 3) { page } }":                                           "first",
		"{ mintsByBlock { page } }":                                              "mints",
		"{ burns(token_address: 3) { page } }":                                   "",
		"{ mints { data { token_address } } }":                                   "tokenAddress",
		"{ mints { data { block_timestamp } } }":                                 "timestamp",
		"{ mints(skip: 3) { page } }":                                            "after",
		"{ tokenMetadata(address: 3, offset: 3) { page } }":                      "after",
		"{ mints(orderBy: x) { page } }":                                         "order",
		"{ mints(owner: 3) { page } }":                                           "account",
		"{ mints { nodes { id } } }":                                             "data",
		"{ collections { totalCount } }":                                         "totalItems",
		"{ mints(transaction_hash: 3) { page } }":                                "transactionHash",
		"{ mints(from_block: 3) { page } }":                                      "fromBlock",
		"{ mints { total_items } }":                                              "totalItems",
		"{ mints { pageInfo { cursor } } }":                                      "endCursor",
		"{ tokenMetadata(address: 3) { data { external_url } } }":                "externalUrl",
		"{ tokenMetadata(address: 3) { data { attributes { trait_type } } } }":   "traitType",
		"{ mints(tokens: [{address: 3, token_id: 3}]) { page } }":                "tokenId",
		"{ collection(address: 3) { mints(orderDirection: asc) { page } } }":     "order",
		"{ mints { data { ...F } } } fragment F on Mint { collectionAddress id}": "tokenAddress",
		"{ chain { owner } }":                                                    "",
		"{ mints(a__b: 3) { page } }":                                            "",
		"{ mints { data { _ } } }":                                               "",
	} {
		message := messagesOf(open.Ask(t, query, ""))
		if got := strings.Contains(message, fmt.Sprintf(". Did you mean %q?", want)); got != (want != "") {
			t.Errorf("%s: %s, want %s", query, message, want)
		}
		if message := messagesOf(hidden.Ask(t, query, "")); strings.Contains(message, "Did you mean") {
			t.Errorf("%s without introspection: %s", query, message)
		}
	}
}

// messagesOf returns the messages of an answer's errors.
func messagesOf(a *apitest.Answer) (text string) {
	for _, e := range a.Errors {
		text += e.Message + "\n"
	}
	return text
}

var code = regexp.MustCompile("`([^`]+)`")

// TestNames_Documented compares the names with the tables of docs/migrate.md: the rows whose
// first cells are only names.
func TestNames_Documented(t *testing.T) {
	text, err := os.ReadFile("../../docs/migrate.md")
	expect.NoError(t, err)
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " |")
		if len(cells) < 3 {
			continue
		}
		theirs, ours := code.FindAllStringSubmatch(cells[0], -1), code.FindAllStringSubmatch(cells[1], -1)
		for i, found := range theirs {
			name := found[1]
			documented[name] = true
			// Other rows explain more than a name.
			plain := regexp.MustCompile(`^\w+$`).MatchString(name) && strings.HasPrefix(cells[1], " `")
			if !plain || len(theirs) != len(ours) && !strings.Contains(cells[1], " or ") {
				continue
			}
			our := regexp.MustCompile(`^\w+`).FindString(ours[min(i, len(ours)-1)][1])
			if our != name && our != "GET" && !slices.Contains(httpapi.OurNames(name), our) {
				t.Errorf("docs/migrate.md has %s for %s, the program %q", our, name, httpapi.OurNames(name))
			}
		}
	}
	operations, err := os.ReadFile("openapi.json")
	expect.NoError(t, err)
	for _, name := range httpapi.ForeignNames() {
		if !strings.Contains(string(text), name) && !strings.Contains(string(operations), `"operationId": "`+name+`"`) {
			t.Errorf("neither docs/migrate.md nor openapi.json has %s", name)
		}
	}
	if len(documented) < 80 {
		t.Errorf("%d names", len(documented))
	}
}
