package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
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
		"{ mints(contractAddress: 3) { page } }":                                 "address",
		"{ burns { data { contractAddress } } }":                                 "tokenAddress",
		"{ tokenMetadata(address: 3) { data { contractAddress } } }":             "collectionAddress",
		"{ mints(where: {contract: 3}) { page } }":                               "address",
		"{ collections(where: {id: 3}) { page } }":                               "addresses",
		"{ collections { items { address } } }":                                  "data",
		"{ tokenMetadata(address: 3) { data { traits { value } } } }":            "attributes",
		"{ mints { data { traits { value } } } }":                                "metadata",
		"{ tokenMetadata(address: 3) { data { tokenURI } } }":                    "uri",
		"{ token(address: 3, tokenId: 3) { tokenURI } }":                         "metadata",
		"{ collections(name: 3) { page } }":                                      "search",
		"{ token(address: 3, tokenId: 3) { name } }":                             "metadata",
		"{ mints(blockNumber: 3) { page } }":                                     "block",
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
