package graph

import (
	"maps"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// Resolver answers the fields of Query.
type Resolver struct {
	store *store.Store
	now   func() time.Time
}

// NewSchema returns the executable schema over a store; now returns the current
// time. Its operations must run with [Snapshots].
func NewSchema(s *store.Store, now func() time.Time) *fastql.Schema {
	schema := NewFastSchema(Config{Resolvers: &Resolver{store: s, now: now}, Schema: withoutDefer(parsedSchema)})
	schema.Ends = endsOperation
	return schema
}

// withoutDefer returns a schema without @defer, which gqlparser defines for every
// schema: this server sends whole answers.
func withoutDefer(schema *ast.Schema) *ast.Schema {
	copied := *schema
	copied.Directives = maps.Clone(schema.Directives)
	delete(copied.Directives, "defer")
	return &copied
}
