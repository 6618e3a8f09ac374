package httpapi

import (
	"context"
	"net/netip"

	"github.com/vektah/gqlparser/v2/ast"
)

// Reading reads documents as the endpoint does.
type Reading struct{ documents *queryCache }

// NewReading returns a reader with empty caches.
func NewReading(schema *ast.Schema, limits Limits) Reading {
	return Reading{newQueryCache(schema, nil, true, limits)}
}

// Read returns the cost of a document's operation, or why it is failed.
func (r Reading) Read(text string, variables map[string]any) (cost int, code any, message string) {
	failed := func(why *requestError) (int, any, string) {
		return 0, why.errors[0].Extensions["code"], why.errors[0].Message
	}
	read, why := r.documents.read(text, netip.Addr{}, free)
	if why != nil {
		return failed(why)
	}
	operation, why := read.operation("")
	if why != nil {
		return failed(why)
	}
	values, why := r.documents.coerce(context.Background(), operation, variables)
	if why != nil {
		return failed(why)
	}
	return meter{newPrices(r.documents.schema), r.documents.limits.PageSize, values}.cost(operation), nil, ""
}

// Kept is how many documents are kept.
func (r Reading) Kept() int {
	r.documents.cache.mu.Lock()
	defer r.documents.cache.mu.Unlock()
	return len(r.documents.cache.entries)
}

// The arithmetic of costs.
var (
	Plus  = plus
	Times = times
)

// MostCost is the largest cost.
const MostCost = mostCost
