package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/layout"
	"mintburn/internal/httpapi/observe"
)

// bound says why many requests of a route do not delay those of others. docs/limits.md#routes.
type bound string

const (
	// inSlots is a route whose operations take slots, which clients share by their cost.
	inSlots bound = "slots of operations"
	// inOwnSlot is a route that computes its answers, one at a time.
	inOwnSlot bound = "a slot of its own"
	// once is a route whose answers exist, or are computed once.
	once bound = "computed once"
)

// routed is a pattern of the router with its handler.
type routed struct {
	pattern, group string
	bound          bound
	handler        http.Handler
}

// routed returns all routes. Only they are registered, so each has a bound. openAPI describes those
// of REST.
func (e *endpoint) routed(rest, views http.Handler, openAPI []byte) []routed {
	texts := layout.NewSender()
	list := []routed{
		{"/graphql", observe.GraphQL, inSlots, e},
		{"/v1", observe.REST, inSlots, rest},
		{"/v1/", observe.REST, inSlots, rest},
		{"/graphql/{$}", observe.GraphQL, once, e.misdirected(http.StatusNotFound, apierror.NotFound, "the path has a slash at its end: want /graphql", "")},
		{"/query", observe.GraphQL, once, e.misdirected(http.StatusNotFound, apierror.NotFound, "there is no /query: want /graphql", "")},
		{"POST /{$}", observe.Page, once, e.misdirected(http.StatusMethodNotAllowed, apierror.BadUserInput, "this is the page: want POST /graphql", "GET, HEAD")},
		{"GET /openapi.json", observe.Other, once, layout.WithPolicy(layout.AssetPolicy, serveText(texts, "application/json", openAPI))},
		{"GET /healthz", observe.Probe, once, http.HandlerFunc(alive)},
		{"GET /readyz", observe.Probe, inOwnSlot, http.HandlerFunc(e.chains.ready)},
		{"/docs", observe.Page, once, views},
		{"/docs/", observe.Page, once, views},
		{"/docs/search", observe.Page, inOwnSlot, views},
		{"/llms.txt", observe.Page, once, views},
		{"/favicon.ico", observe.Page, once, views},
		// The examples are read from the database.
		{"/{$}", observe.Page, inOwnSlot, views},
		{"/explore", observe.Page, inOwnSlot, views},
		{"/explore/", observe.Page, inOwnSlot, views},
		{"/assets/", observe.Page, once, views},
	}
	if e.Introspection {
		list = append(list, routed{"GET /schema.graphql", observe.Other, once, layout.WithPolicy(layout.AssetPolicy, serveText(texts, "text/plain", schemaText(e.Schema.Schema())))})
	}
	if e.chains.only() == nil {
		list = append(list, routed{"GET /chains", observe.REST, inOwnSlot, e.keyed("", http.HandlerFunc(e.chains.describe))})
	}
	if !e.Elsewhere {
		list = append(list, routed{"GET /metrics", observe.Probe, inOwnSlot, e.keyed(everyChain, observe.Metrics(e.Observer.Registry))})
	}
	return list
}

// within returns the handler of a route, which keeps its bound.
func (e *endpoint) within(one routed) http.Handler {
	if one.bound != inOwnSlot {
		return one.handler
	}
	// A chain that hangs must not hold up the others.
	slots := map[string]http.Handler{}
	for _, name := range append(e.chains.names(), "") {
		slots[name] = admit.OneAtATime(e.Limiter.MaxWait, e.clients, e.sender.Fail, one.handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { slots[admit.ChainOf(r.Context())].ServeHTTP(w, r) })
}

// schemaText returns the source text of a schema.
func schemaText(schema *ast.Schema) []byte {
	var text strings.Builder
	seen := map[*ast.Source]bool{}
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		position := schema.Types[name].Position
		if position == nil || position.Src == nil || position.Src.BuiltIn || seen[position.Src] {
			continue
		}
		seen[position.Src] = true
		text.WriteString(position.Src.Input)
	}
	return []byte(text.String())
}

// serveText returns a handler that serves a text that is constant for this build, compressed once.
func serveText(sender layout.Sender, mediaType string, text []byte) http.HandlerFunc {
	page := sender.Page(http.StatusOK, mediaType+"; charset=utf-8", text)
	return func(w http.ResponseWriter, r *http.Request) { sender.SendPage(w, r, page) }
}
