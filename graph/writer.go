package graph

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// The page writer answers operations whose root fields are all mints, burns or
// tokenMetadata, in one pass from rows to bytes. gqlgen's own execution makes
// several objects and, for some fields, a goroutine of each value of each row:
// five times the work of all else.
//
//   - writer.go: where it takes the place of the generated execution;
//   - program.go: an operation is compiled to a program, the list of what to
//     write after which response key, once for all rows and all requests;
//   - programs.go: programs are kept as long as their documents are;
//   - arguments.go: the arguments of the root fields;
//   - write_*.go: how each field is written, by name.
//
// It writes answers without errors and nothing else. For what it does not
// know (other root fields, introspection), and whenever anything fails, the
// generated code answers the whole operation, from the same snapshot. So
// errors, their paths and the nulls that they leave are gqlgen's alone, and a
// field that is added to the schema works at once and is written fast when it
// is added here. A test compares both on random operations.

// writing is the executable schema with the page writer.
type writing struct {
	// ExecutableSchema is the generated one.
	graphql.ExecutableSchema
	programs programs
	// buffers has a *[]byte for each operation that runs.
	buffers sync.Pool
}

// request is what the program of an operation runs on: the values of its
// variables.
type request map[string]any

// errGenerated says that the generated code is to answer.
var errGenerated = errors.New("not for the page writer")

// Exec implements [graphql.ExecutableSchema].
func (w *writing) Exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	program := w.programs.of(operation)
	if program == nil {
		return w.ExecutableSchema.Exec(ctx)
	}
	return func(ctx context.Context) *graphql.Response {
		data, err := w.run(ctx, program, operation.Variables)
		if err != nil {
			return w.ExecutableSchema.Exec(ctx)(ctx)
		}
		return &graphql.Response{Data: data}
	}
}

// pooledBuffer is the capacity in bytes up to which a buffer is used again.
const pooledBuffer = 1 << 20

// run returns what a program writes.
func (w *writing) run(ctx context.Context, program object[request], r request) ([]byte, error) {
	buffer, ok := w.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	b, err := program.append(ctx, (*buffer)[:0], r)
	if err != nil {
		return nil, err
	}
	if *buffer = b; cap(b) <= pooledBuffer {
		defer w.buffers.Put(buffer)
	}
	return bytes.Clone(b), nil
}
