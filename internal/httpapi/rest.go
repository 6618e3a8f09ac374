package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
)

// A route is a GraphQL document whose aliases and variables have the documented names, so that
// REST and GraphQL cannot differ: the route answers with the value of the field "answer".
// docs/api.md#rest-routes.
type route struct {
	// id and summary are those of the operation in the OpenAPI document.
	id, summary string
	// path has the segments of the path below /v1; those in braces are parameters.
	path []string
	// field is the field of Query.
	field string
	// required and optional are the parameters in the query string.
	required, optional []string
	// object selects the fields of a route that answers with an object or a list of objects.
	object string
	// text is the route's document if the fields above do not determine it. events is that of
	// its event stream.
	text             string
	document, events *queries.Document
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

// routes returns the routes of the five documented operations, of all mints and all burns, of
// tokens and collections, and of changes. The first route that matches a path answers.
func routes(schema *ast.Schema) []*route {
	path := func(text string) []string { return strings.Split(text, "/") }
	filters := func(field string) []string { return filterParameters(schema.Query.Fields.ForName(field)) }
	return []*route{
		{id: "mintsByBlock", summary: "NFT mints by block number or hash", path: path("block/{block_number_or_hash}/nft/mints"), field: "mints", optional: pageParameters},
		{id: "burnsByRange", summary: "NFT burns of a collection in a range of blocks", path: path("nft/{address}/burns"), field: "burns", required: []string{"from_block", "to_block"}, optional: append([]string{"from_time", "to_time", "finality"}, pageParameters...)},
		{id: "mintsByTransaction", summary: "NFT mints of a collection by transaction hash", path: path("nft/{address}/mints/{transaction_hash}"), field: "mints", optional: pageParameters},
		{id: "burnsByToken", summary: "NFT burns of a collection by token id", path: path("nft/{address}/{token_id}/burns"), field: "burns", optional: pageParameters},
		{id: "metadataByToken", summary: "Token metadata by contract", path: path("nft/{address}/metadata"), field: "tokenMetadata", optional: []string{"token_id"}},
		{id: "mints", summary: "NFT mints by any accepted combination of filters", path: path("mints"), field: "mints", optional: filters("mints")},
		{id: "burns", summary: "NFT burns by any accepted combination of filters", path: path("burns"), field: "burns", optional: filters("burns")},
		{id: "collection", summary: "A collection with its mints and burns", path: path("nft/{address}"), field: "collection", optional: []string{"at_block"}, object: documented.CollectionFields()},
		{id: "token", summary: "A token with its mints and burns", path: path("nft/{address}/{token_id}"), field: "token", optional: []string{"at_block"}, object: documented.TokenFields()},
		{id: "tokens", summary: "Tokens with their mints and burns", path: path("tokens"), field: "tokens", required: []string{"keys"}, optional: []string{"at_block"}, object: documented.TokenFields()},
		{id: "changes", summary: "Changes since a cursor", path: path("changes"), field: "changes", optional: strings.Fields("after address account kind limit wait"), text: changesQuery()},
	}
}

// record reports whether a route answers with the first item of the page.
func (to *route) record() bool { return to.field == "tokenMetadata" }

func isParameter(part string) bool { return part[0] == '{' }

// parameters returns the parameters that a request must contain: those in the path, and the
// required ones.
func (to *route) parameters() (names []string) {
	for _, part := range to.path {
		if isParameter(part) {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return append(names, to.required...)
}

// query returns the text of a route's document.
func (to *route) query(schema *ast.Schema) string {
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
		return fmt.Sprintf("query(%s) { %s %s documents: collection(address: $address) { documents { %s } } }", strings.Join(definitions, ", "),
			page("answer", documented.SnakeFields(documented.MetadataFields)+"attributes { "+documented.SnakeFields(documented.AttributeFields)+"}"), page("state", "error updatedAt"), documented.DocumentFields)
	}
	return fmt.Sprintf("query(%s) { answer: %s(%s) { %s data { %s } indexed @include(if: $partial) { from_block: fromBlock to_block: toBlock } } }",
		strings.Join(definitions, ", "), to.field, strings.Join(arguments, ", "), documented.SnakeFields(documented.PageFields), documented.SnakeFields(documented.TransferFields))
}

// rest serves the routes.
type rest struct {
	*endpoint
	routes []*route
}

// newREST returns the handler of all paths below /v1/.
func newREST(e *endpoint) (*rest, error) {
	handler := &rest{endpoint: e, routes: routes(e.Schema.Schema())}
	e.argumentNames = argumentNames(handler.routes)
	for _, to := range handler.routes {
		var failed *failure.Error
		path := "/v1/" + strings.Join(to.path, "/")
		if to.document, failed = queries.Own(e.Schema.Schema(), to.query(e.Schema.Schema()), path); failed != nil {
			return nil, fmt.Errorf("the document of the route %v: %w", to.path, failed.Errors)
		}
		e.observer.Reserve(path)
		if to.field != "changes" {
			continue
		}
		if to.events, failed = queries.Own(e.Schema.Schema(), changesSubscription(), path); failed != nil {
			return nil, fmt.Errorf("the document of the events of %v: %w", to.path, failed.Errors)
		}
	}
	return handler, nil
}

// variables returns the parameters in a path's segments, or false if the route does not match.
func (to *route) variables(parts []string) (variables map[string]any, ok bool) {
	if !slices.EqualFunc(parts, to.path, func(part, want string) bool { return part != "" && (part == want || isParameter(want)) }) {
		return nil, false
	}
	variables = map[string]any{}
	for i, want := range to.path {
		if isParameter(want) {
			variables[strings.Trim(want, "{}")] = parts[i]
		}
	}
	return variables, true
}

// ServeHTTP answers GET and HEAD.
func (h *rest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/v1/"), "/")
	for i := range parts {
		// net/http has parsed the path, so its escapes are valid.
		parts[i], _ = url.PathUnescape(parts[i])
	}
	for _, to := range h.routes {
		if variables, ok := to.variables(parts); ok {
			h.serve(w, r, to, variables)
			return
		}
	}
	h.fail(w, r, failure.WithStatus(http.StatusNotFound, apierror.NotFound, "no such route: see /openapi.json"))
}

// serve answers a route; variables has the parameters of the path.
func (h *rest) serve(w http.ResponseWriter, r *http.Request, to *route, variables map[string]any) {
	failed := h.origins.check(r)
	switch {
	case r.Method == http.MethodOptions:
		// A browser sends this preflight before a request with an API key.
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		failed = failure.WithStatus(http.StatusMethodNotAllowed, apierror.BadUserInput, "the method is not supported: want GET or HEAD").With("Allow", "GET, HEAD, OPTIONS")
	case failed == nil && h.access != nil:
		failed = h.access.Admit(r.Context())
	}
	if failed != nil {
		h.fail(w, r, failed)
		return
	}
	if to.field == "changes" {
		h.serveChanges(w, r, to)
		return
	}
	h.serveGet(r, func() (request, *failure.Error) {
		return request{document: to.document, Request: parse.Request{Variables: variables}, public: true}, to.readQuery(r.URL.RawQuery, variables, h.Limits.PageSize)
	}, func(done outcome) { h.respond(w, r, to, done) })
}

// readQuery adds the parameters in the query string to the variables. most is the maximum page
// size, and more are parameters that this request accepts besides those of the route.
func (to *route) readQuery(rawQuery string, variables map[string]any, most int, more ...string) (failed *failure.Error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return failure.BadRequest(parse.BadParameters)
	}
	accepted := slices.Concat(to.required, to.optional, more)
	for name, list := range values {
		if !slices.Contains(accepted, name) {
			return failure.BadRequest("unknown parameter %s: want %s", evm.Excerpt(name), strings.Join(accepted, ", "))
		}
		if element := to.element(name); element != nil {
			if variables[name], failed = readList(name, element.NamedType, list); failed != nil {
				return failed
			}
			continue
		}
		if len(list) > 1 {
			return failure.BadRequest("the parameter %s is given twice: want it once", name)
		}
		// An empty parameter counts as absent, because forms send all their fields. An empty cursor
		// of changes is a mistake of a client, which would miss those before now.
		if list[0] != "" || name == "after" {
			variables[name] = list[0]
		}
	}
	for _, name := range to.required {
		if variables[name] == nil {
			return failure.BadRequest("missing parameter %s: want %s", name, strings.Join(to.required, " and "))
		}
	}
	if text, given := variables["limit"].(string); given {
		limit, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return failure.BadRequest("limit: got %s, want a whole number from 0 to %d", evm.Describe(text), most)
		}
		variables["limit"] = limit
	}
	if text, given := variables["partial"].(string); given {
		if text != "true" && text != "false" {
			return failure.BadRequest("partial: got %s, want true or false", evm.Describe(text))
		}
		variables["partial"] = text == "true"
	}
	return nil
}

// element returns the type of the values of a parameter that may be repeated, or nil.
func (to *route) element(name string) *ast.Type {
	if variable := to.document.Query.Operations[0].VariableDefinitions.ForName(name); variable != nil {
		return variable.Type.Elem
	}
	return nil
}

// readList returns the values of a repeated parameter without the empty ones. A list without
// values selects nothing.
func readList(name, element string, values []string) (list []any, failed *failure.Error) {
	list = []any{}
	for _, text := range values {
		address, id, isToken := strings.Cut(text, ":")
		switch {
		case text == "":
		case element != "TokenKey":
			list = append(list, text)
		case !isToken:
			return nil, failure.BadRequest("%s: got %s, want ADDRESS:TOKEN_ID", name, evm.Describe(text))
		default:
			list = append(list, map[string]any{"address": address, "tokenId": id})
		}
	}
	return list, nil
}

// respond writes the outcome of a route's operation.
func (h *rest) respond(w http.ResponseWriter, r *http.Request, to *route, done outcome) {
	if done.failed == nil {
		// The document counts matter only if there is no document, so their errors are
		// dropped.
		errs := slices.DeleteFunc(slices.Clone(done.response.Errors), func(e *gqlerror.Error) bool { return len(e.Path) > 0 && e.Path[0] == ast.PathName("documents") })
		if len(errs) > 0 {
			done.failed = &failure.Error{Errors: errs}
		}
	}
	var answer json.RawMessage
	if done.failed == nil {
		var err error
		if answer, done.failed, err = to.answer(done.response.Data); err != nil {
			h.Log.ErrorContext(r.Context(), "reading an answer for a route", "error", err)
			done.failed = failure.New(apierror.Internal, "internal error")
		}
	}
	if done.failed != nil {
		h.fail(w, r, done.failed)
		return
	}
	b := h.budget.Buffer(r)
	defer h.budget.Drop(b)
	b.Write(answer)
	h.send(w, r, negotiate.JSON, http.StatusOK, b, done.final)
}

// answer returns the route's answer from an operation's data.
func (to *route) answer(data []byte) (answer json.RawMessage, failed *failure.Error, err error) {
	var found struct {
		Answer json.RawMessage
		State  struct {
			Data []struct {
				Error     *string
				UpdatedAt uint64
			}
		}
		Documents *struct{ Documents map[string]int64 }
	}
	var page struct{ Data []json.RawMessage }
	switch err = json.Unmarshal(data, &found); {
	case err != nil:
		return nil, nil, err
	case to.field == "tokens":
		return slices.Concat([]byte(`{"data":`), found.Answer, []byte("}")), nil, nil
	case to.object != "" && string(found.Answer) == "null":
		return nil, failure.New(apierror.NotFound, "there is no such %s: no mint or burn names it", to.field), nil
	case !to.record():
		return found.Answer, nil, nil
	}
	if err = json.Unmarshal(found.Answer, &page); err != nil {
		return nil, nil, err
	}
	switch {
	case len(page.Data) == 0 && found.Documents == nil:
		return nil, failure.New(apierror.NotFound, "there is no metadata yet"), nil
	case len(page.Data) == 0:
		n := found.Documents.Documents
		failed = failure.New(apierror.NotFound, "there is no metadata yet: of the collection's tokens %d have a document or are waiting for a newer one, %d failed, %d were never tried",
			n["resolved"]+n["pending"], n["failed"], n["untried"])
		failed.Errors[0].Extensions["documents"] = n
		return nil, failed, nil
	case found.State.Data[0].UpdatedAt == 0 && found.State.Data[0].Error != nil:
		// Every attempt to fetch the document has failed.
		return nil, failure.New(apierror.NotFound, "there is no metadata: %s", *found.State.Data[0].Error), nil
	default:
		return page.Data[0], nil, nil
	}
}
