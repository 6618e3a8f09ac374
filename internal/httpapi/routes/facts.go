package routes

import (
	"slices"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/openapi"
)

// The largest values in answers: an integer, the items of a page, ranges, the keys of a request,
// the bytes of a text and the digits of a byte string.
const (
	maxLong   = 1<<53 - 1
	maxPage   = 10_000
	maxRanges = 1_000_000
	maxKeys   = 1_000
	maxText   = 8 << 20
	maxBytes  = 64 << 20
)

// openAPIFrame returns the document without the routes and what they answer with.
func openAPIFrame() *openapi.Document {
	d := &openapi.Document{
		OpenAPI: "3.1.0", Servers: []map[string]string{{"url": "."}}, Security: []map[string][]string{{}, {"Bearer": {}}, {"Header": {}}},
		Info: openapi.Info{Title: "Mintburn", Version: "1", License: map[string]string{"name": "Apache 2.0", "identifier": "Apache-2.0"}, Description: "NFT mints, burns and token metadata of an EVM chain: " +
			"the five documented operations, all mints and burns with every filter, tokens and collections, and a feed of changes, served from an index of the chain. GraphQL at /graphql answers the same queries and more."},
	}
	const key = "An API key, if the server uses keys."
	d.Components = openapi.Components{Headers: responseHeaders, Responses: describedResponses(), Schemas: scalarSchemas(), SecuritySchemes: map[string]map[string]string{
		"Bearer": {"type": "http", "scheme": "bearer", "description": key},
		"Header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": key},
	}}
	return d
}

// member returns a member of an object, or a component.
func member(name string, s openapi.Schema) openapi.Member[openapi.Schema] {
	return openapi.Member[openapi.Schema]{Name: name, Value: s}
}

// components are the names of schemas that differ from those of their types.
var components = map[string]string{
	"Bytes32": "Hash", "BigInt": "Integer256", "Int": "Long", "BlockNumberOrHash": "Block", "Block": "Head",
	"Mint": "Transfer", "Burn": "Transfer", "MintConnection": "Page", "BurnConnection": "Page", "CollectionConnection": "Collections", "ChangeBatch": "Changes",
}

// scalarSchemas describes scalars and the key of a token.
func scalarSchemas() openapi.Map[openapi.Schema] {
	return openapi.Map[openapi.Schema]{
		member("Address", openapi.String("^0x[0-9a-fA-F]{40}$", 42).About("An address, in lower case in answers.")),
		member("Hash", openapi.String("^0x[0-9a-fA-F]{64}$", 66).About("A hash, in lower case in answers.")),
		member("Bytes", openapi.String("^0x([0-9a-f]{2})*$", maxBytes).About("A byte string, in lower case.")),
		member("Long", openapi.Integer(0, maxLong)),
		member("Integer256", openapi.String("^[0-9]+$", 78).About("An unsigned 256-bit integer, decimal.")),
		member("TokenId", openapi.String("^([0-9]+|0[xX][0-9a-fA-F]+)$", 78).About("A token id, decimal or 0x-hex.")),
		member("TokenKey", openapi.String("^0x[0-9a-fA-F]{40}:(0x[0-9a-fA-F]+|[0-9]+)$", 128).About("The key of a token: an address, a colon and a token id.")),
		member("Block", openapi.String("^([0-9]+|0[xX][0-9a-fA-F]+|latest|finalized|earliest)$", 66).About("A block number, decimal or 0x-hex, a block hash, or a tag: "+
			"latest, the last indexed block, finalized or earliest. With a cursor, a tag means the cursor's block.")),
		member("Cursor", openapi.String("^[0-9A-Za-z_-]+$", 128)),
	}
}

// unnamed are the schemas of types without a name in the document.
var unnamed = map[string]openapi.Schema{
	"Boolean": {Type: "boolean"}, "Float": {Type: "number"}, "String": openapi.String("", maxText), "ID": openapi.String("^[0-9A-Za-z_-]+$", 128),
}

// inLowerCase are the enums whose values the feed of changes has in lower case.
var inLowerCase = []string{"ChangeKind", "VoidCause"}

// facts are what the schema doesn't say, or says of GraphQL only: of parameters, also those of one
// operation, of fields and of types.
var facts = map[string]openapi.Schema{
	"?cursor":                  {Description: "Cursor of the previous page, to fetch the next one. It never expires."},
	"?limit":                   openapi.Integer(0, maxPage).Or(20).About("Number of items returned, at most 1,000 unless configured otherwise."),
	"?from_time":               timeSchema().About("Only blocks with this timestamp or later: Unix seconds, a date in UTC, which is its first second, or a time with a zone and without a fraction. BAD_USER_INPUT on a chain whose timestamps decrease."),
	"?to_time":                 timeSchema().About("Only blocks with this timestamp or earlier; may be after the head's. A date is its last second."),
	"?at_block":                {Description: "Amounts and counts at the end of this block, which must be indexed; by default, of the last indexed block."},
	"metadataByToken?token_id": {Description: "Only this token; by default, the collection's first token with metadata."},
	"tokens?keys":              {MaxItems: maxKeys},
	"changes?after":            {Description: "Cursor of a change or a batch. Without it there are no changes, and the cursor is that of now. An event stream also accepts it as lastEventId."},
	"changes?account":          {Description: "Only mints received or burns sent by any of these addresses. Excludes metadata. Repeat the parameter."},
	"changes?kind":             {Description: "Only these kinds. Default all, but metadata only without account. added includes voided. Repeat the parameter."},
	"changes?limit":            openapi.Integer(0, maxPage).Or(apierror.DefaultChanges).About("Number of changes, at most 1,000 unless configured otherwise. Not for an event stream."),
	"changes?wait":             openapi.String("^[0-9a-zµ.+-]+$", 32).Or("0s").About("Wait this long for a change, 0s to 60s. At the end the batch is empty. Not for an event stream."),

	"ProvedBlock":       {Description: "A block with its proof."},
	"Page":              {Description: "A page of transfers."},
	".page":             openapi.Integer(1, maxLong),
	".limit":            openapi.Integer(0, maxPage),
	"Collection.name":   openapi.Nullable(openapi.String("", 256)),
	"Collection.symbol": openapi.Nullable(openapi.String("", 256)),
	".indexed":          {MaxItems: maxRanges},
}

// timeSchema describes what [evm.ParseTime] accepts.
func timeSchema() openapi.Schema {
	return openapi.Schema{AnyOf: []openapi.Schema{openapi.To("Long"), openapi.String("^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2}))?$", 25)}}
}

// errorSchema describes the error of a request.
func errorSchema() openapi.Schema {
	code := openapi.Schema{Type: "string"}
	for _, r := range responses {
		for _, text := range r.codes {
			if !slices.Contains(code.Enum, text) {
				code.Enum = append(code.Enum, text)
			}
		}
	}
	ranges, long := openapi.List(openapi.To("BlockRange"), 10), openapi.To("Long")
	details := openapi.Map[openapi.Schema]{
		member("indexed_ranges", ranges.About("With BLOCK_NOT_INDEXED: the indexed blocks; only the last ranges if there are many.")),
		member("missing_ranges", ranges.About("With BLOCK_NOT_INDEXED: the missing blocks; only the last ranges if there are many.")),
		member("block_number", long.About("With BLOCK_NOT_CANONICAL: the height of the block.")),
		member("canonical_hash", openapi.Nullable(openapi.To("Hash")).About("With BLOCK_NOT_CANONICAL: the hash of the block that is now at this height; null if its header is not stored.")),
		member("rewind_cursor", openapi.To("Cursor").About("With CURSOR_REORGED: the cursor from which to continue.")),
		member("retracted_from_block", long.About("With CURSOR_REORGED: drop the records from this block on.")),
		member("contracts", openapi.List(openapi.To("Address"), 100).About("With NOT_FOUND if only some collections are indexed: the first of them.")),
		member("cost", long.About("With QUERY_TOO_COSTLY: the cost of the request.")),
		member("max_cost", long.About("With QUERY_TOO_COSTLY: the maximum cost of a request.")),
		member("documents", openapi.To("DocumentCounts").About("With NOT_FOUND for metadata: the numbers of the collection's tokens by metadata state.")),
	}
	object := openapi.Object(details).About("Details by name; may be empty.")
	object.Required = nil
	return openapi.Object(openapi.Map[openapi.Schema]{
		member("message", openapi.String("", 1000).About("What was wrong and what is accepted, in one line.")),
		member("code", code.About("The kind of error.")), member("details", object),
	}).About("The error of a request.")
}

// chainsSchema describes what /chains answers with.
func chainsSchema() openapi.Schema {
	block := openapi.Nullable(openapi.Object(openapi.Map[openapi.Schema]{member("number", openapi.Integer(0, maxLong)), member("hash", openapi.To("Hash")), member("timestamp", openapi.Integer(0, maxLong))}))
	return openapi.Object(openapi.Map[openapi.Schema]{member("chains", openapi.List(openapi.Object(openapi.Map[openapi.Schema]{
		member("name", openapi.String("^[a-z][a-z0-9-]*$", 32)),
		member("path", openapi.String("^/[a-z0-9-]+/$", 34).About("The path of the chain's pages and endpoints.")),
		member("chain_id", openapi.Nullable(openapi.Integer(0, maxLong)).About("The EIP-155 chain id, or null until a node has reported it.")),
		member("head", block.About("The last indexed block.")),
		member("finalized", block.About("The last finalized block.")),
		member("lag", openapi.Nullable(openapi.Integer(0, maxLong)).About("The age of the head in seconds.")),
		member("following", openapi.Schema{Type: "boolean"}.About("Whether a process follows the chain.")),
		member("ready", openapi.Schema{Type: "boolean"}),
		member("reason", openapi.Nullable(openapi.String("", 1_000)).About("Why the chain is not ready.")),
	}), maxRanges))})
}
