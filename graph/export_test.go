package graph

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/store"
)

// NewGenerated returns gqlgen's execution alone.
func NewGenerated(s *store.Store, now func() time.Time) graphql.ExecutableSchema {
	schema := NewSchema(s, now)
	schema.Compile = nil
	return schema
}
