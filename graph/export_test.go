package graph

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// NewFast returns the schema that the server runs.
func NewFast(s *store.Store, now func() time.Time) *fastql.Schema {
	return NewSchema(s, now)
}

// NewGenerated returns gqlgen's execution alone.
func NewGenerated(s *store.Store, now func() time.Time) graphql.ExecutableSchema {
	schema := NewFast(s, now)
	schema.Compile = nil
	return schema
}

// NewResolver returns the resolvers.
func NewResolver(s *store.Store, now func() time.Time) *Resolver {
	return &Resolver{store: s, now: now}
}
