package graph

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/store"
)

// NewGenerated returns the schema without the page writer.
func NewGenerated(s *store.Store, now func() time.Time) graphql.ExecutableSchema {
	return NewSchema(s, now).(*writing).ExecutableSchema
}

// NewWriting puts the page writer before a schema. kept returns the numbers of
// operations and of programs that it keeps.
func NewWriting(generated graphql.ExecutableSchema) (schema graphql.ExecutableSchema, kept func() (operations, programs int)) {
	w := &writing{ExecutableSchema: generated}
	return w, func() (operations, programs int) {
		w.programs.byOperation.Range(func(_, v any) bool {
			operations, programs = operations+1, programs+len(v.(*variants).list)
			return true
		})
		return operations, programs
	}
}

// AppendString is what writes strings.
func AppendString(b []byte, text string) []byte { return appendString(b, text) }
