package graph

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/store/write"
)

// NewGenerated returns a schema that always uses gqlgen's executor.
func NewGenerated(s *write.DB, now func() time.Time) graphql.ExecutableSchema {
	schema := NewSchema(s.MaxPageSize(), now)
	schema.Compile, schema.Subscription.Compile = nil, nil
	return schema
}
