package routes

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/queries"
)

// A Route is a GraphQL document whose aliases and variables have the documented names, so that
// REST and GraphQL cannot differ: the route answers with the value of the field "answer".
// docs/api.md#rest-routes.
type Route struct {
	// id and summary are those of the operation in the OpenAPI document.
	id, summary string
	// path has the segments of the path below /v1; those in braces are parameters.
	path []string
	// field is the field of Query.
	field string
	// required and optional are the parameters in the query string.
	required, optional []string
	// object selects the fields of a route that answers with an object or a list of objects, and items
	// those of the items of a page, if they are no transfers.
	object, items string
	// text is the route's document if the fields above do not determine it.
	text string
	// Document is the route's document. Events is that of the event stream of changes, and nil for
	// the other routes.
	Document, Events *queries.Document
}

// pageParameters are the parameters of the routes that answer with pages.
var pageParameters = strings.Fields("cursor limit partial")

// filterParameters returns the parameters of a route that accepts every argument of a field, with
// pageParameters in place of Relay's arguments.
func filterParameters(field *ast.FieldDefinition) (names []string) {
	others := append(strings.Fields("first after last before"), pageParameters...)
	for _, argument := range field.Arguments {
		if name := documented.SnakeCase(argument.Name); !slices.Contains(others, name) {
			names = append(names, name)
		}
	}
	return append(names, pageParameters...)
}

// table returns the routes of the five documented operations, of all mints and all burns, of
// tokens and collections, of proofs, and of changes. The first route that matches a path answers.
func table(schema *ast.Schema) []*Route {
	path := func(text string) []string { return strings.Split(text, "/") }
	filters := func(field string) []string { return filterParameters(schema.Query.Fields.ForName(field)) }
	return []*Route{
		{id: "mintsByBlock", summary: "NFT mints by block number or hash", path: path("block/{block_number_or_hash}/nft/mints"), field: "mints", optional: pageParameters},
		{id: "burnsByRange", summary: "NFT burns of a collection in a range of blocks", path: path("nft/{address}/burns"), field: "burns", required: []string{"from_block", "to_block"}, optional: append([]string{"from_time", "to_time", "finality"}, pageParameters...)},
		{id: "mintsByTransaction", summary: "NFT mints of a collection by transaction hash", path: path("nft/{address}/mints/{transaction_hash}"), field: "mints", optional: pageParameters},
		{id: "burnsByToken", summary: "NFT burns of a collection by token id", path: path("nft/{address}/{token_id}/burns"), field: "burns", optional: pageParameters},
		{id: "metadataByToken", summary: "Token metadata by contract", path: path("nft/{address}/metadata"), field: "tokenMetadata", optional: []string{"token_id"}},
		{id: "mints", summary: "NFT mints by any accepted combination of filters", path: path("mints"), field: "mints", optional: filters("mints")},
		{id: "burns", summary: "NFT burns by any accepted combination of filters", path: path("burns"), field: "burns", optional: filters("burns")},
		{id: "collection", summary: "A collection with its mints and burns", path: path("nft/{address}"), field: "collection", optional: []string{"at_block"}, object: documented.CollectionFields()},
		{id: "collections", summary: "Collections with their mints and burns", path: path("collections"), field: "collections", optional: append([]string{"at_block"}, filters("collections")...), items: documented.CollectionFields()},
		{id: "token", summary: "A token with its mints and burns", path: path("nft/{address}/{token_id}"), field: "token", optional: []string{"at_block"}, object: documented.TokenFields()},
		{id: "tokens", summary: "Tokens with their mints and burns", path: path("tokens"), field: "tokens", required: []string{"keys"}, optional: []string{"at_block"}, object: documented.TokenFields()},
		{id: "proof", summary: "Proof of the mints and burns of a block", path: path("block/{block_number_or_hash}/proof"), field: "block", object: documented.ProofFields},
		{id: "changes", summary: "Changes since a cursor", path: path("changes"), field: "changes", optional: strings.Fields("after address account kind limit wait"), text: changesQuery()},
	}
}

// record reports whether a route answers with the first item of the page.
func (to *Route) record() bool { return to.field == "tokenMetadata" }

func isParameter(part string) bool { return part[0] == '{' }

// parameters returns the parameters that a request must contain: those in the path, and the
// required ones.
func (to *Route) parameters() (names []string) {
	for _, part := range to.path {
		if isParameter(part) {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return append(names, to.required...)
}

// query returns the text of a route's document.
func (to *Route) query(schema *ast.Schema) string {
	if to.text != "" {
		return to.text
	}
	var definitions, arguments []string
	required := to.parameters()
	for _, name := range append(required, to.optional...) {
		argument := schema.Query.Fields.ForName(to.field).Arguments.ForName(documented.OurNames(name)[0])
		if argument == nil {
			// It is an argument of the object's fields.
			definitions = append(definitions, "$"+name+": Long")
			continue
		}
		typ := strings.TrimSuffix(argument.Type.String(), "!")
		switch {
		case slices.Contains(required, name):
			typ += "!"
		case name == "partial":
			// The document also uses it in a directive.
			typ += "! = false"
		}
		definitions = append(definitions, "$"+name+": "+typ)
		arguments = append(arguments, argument.Name+": $"+name)
	}
	if to.object != "" {
		return fmt.Sprintf("query(%s) { answer: %s(%s) { %s } }", strings.Join(definitions, ", "), to.field, strings.Join(arguments, ", "), to.object)
	}
	if to.record() {
		page := func(alias, fields string) string {
			return fmt.Sprintf("%s: %s(%s, first: 1) { data { %s } }", alias, to.field, strings.Join(arguments, ", "), fields)
		}
		// Without a document, the token may exist or not.
		return fmt.Sprintf("query(%s, $one: Boolean! = false, $id: BigInt! = 0) { %s %s documents: collection(address: $address) { documents { %s } } token(address: $address, tokenId: $id) @include(if: $one) { state } }", strings.Join(definitions, ", "),
			page("answer", documented.SnakeFields(documented.MetadataFields)+"attributes { "+documented.SnakeFields(documented.AttributeFields)+"}"), page("state", "error updatedAt"), documented.DocumentFields)
	}
	return fmt.Sprintf("query(%s) { answer: %s(%s) { %s data { %s } indexed @include(if: $partial) { from_block: fromBlock to_block: toBlock } } }",
		strings.Join(definitions, ", "), to.field, strings.Join(arguments, ", "), documented.SnakeFields(documented.PageFields), cmp.Or(to.items, documented.SnakeFields(documented.TransferFields)))
}

// elsewhere maps paths that are no routes, but look like some, to those that answer them.
var elsewhere = [][2]string{
	{"nft/{address}/mints", "/v1/mints?address={address}"},
	{"nft/{address}/{token_id}/mints", "/v1/mints?address={address}&token_id={token_id}"},
	{"nft/{address}/{token_id}/metadata", "/v1/nft/{address}/metadata?token_id={token_id}"},
}

// Routes are all routes. The zero value has none.
type Routes struct {
	List []*Route
	// names are those of argumentNames.
	names map[string]string
}

// New returns the routes. It fails if a schema lacks what their documents select.
func New(schema *ast.Schema) (*Routes, error) {
	list := table(schema)
	for _, to := range list {
		var failed *failure.Error
		path := "/v1/" + strings.Join(to.path, "/")
		if to.Document, failed = queries.Own(schema, to.query(schema), path); failed != nil {
			return nil, fmt.Errorf("the document of the route %v: %w", to.path, failed.Errors)
		}
		if to.field != "changes" {
			continue
		}
		if to.Events, failed = queries.Own(schema, changesSubscription(), path); failed != nil {
			return nil, fmt.Errorf("the document of the events of %v: %w", to.path, failed.Errors)
		}
	}
	return &Routes{list, argumentNames(list)}, nil
}

// Find returns the route of a path, and the parameters in it, or what a client may want instead.
func (r *Routes) Find(escapedPath string) (to *Route, variables map[string]any, instead string) {
	parts := strings.Split(strings.TrimPrefix(escapedPath, "/v1/"), "/")
	for i := range parts {
		// net/http has parsed the path, so its escapes are valid.
		parts[i], _ = url.PathUnescape(parts[i])
	}
	for _, one := range elsewhere {
		if variables, ok := match(strings.Split(one[0], "/"), parts); ok {
			instead = one[1]
			for name, value := range variables {
				instead = strings.ReplaceAll(instead, "{"+name+"}", failure.Brief(url.QueryEscape(value.(string)), 80))
			}
			return nil, nil, "want " + instead
		}
	}
	for _, to := range r.List {
		if variables, ok := match(to.path, parts); ok {
			return to, variables, ""
		}
	}
	return nil, nil, "see /openapi.json"
}

// match returns the parameters in a path's segments, or false if they do not match the path of a route.
func match(path, parts []string) (variables map[string]any, ok bool) {
	if !slices.EqualFunc(parts, path, func(part, want string) bool { return part != "" && (part == want || isParameter(want)) }) {
		return nil, false
	}
	variables = map[string]any{}
	for i, want := range path {
		if isParameter(want) {
			variables[strings.Trim(want, "{}")] = parts[i]
		}
	}
	return variables, true
}

// argumentNames maps arguments to documented names where they differ.
func argumentNames(list []*Route) map[string]string {
	names := map[string]string{"first: got": "limit: got"}
	for _, to := range list {
		for _, name := range append(to.parameters(), to.optional...) {
			if camel := documented.CamelCase(name); camel != name {
				names[camel] = name
			}
		}
	}
	return names
}
