package fastql

import (
	"context"
	"errors"
	"weak"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// RootField is a compiled field of the query type. Without a resolver it is
// left to gqlgen.
type RootField struct {
	alias, key string
	// constant, if not empty, is the JSON of the field.
	constant string
	// field is the first one of this response key; merged says that there are
	// several.
	field  weak.Pointer[ast.Field]
	merged bool
	// resolve calls the resolver.
	resolve func(ctx context.Context, variables map[string]any) (result, error)
}

// result is what a resolver returned.
type result struct {
	value any
	write func(ctx context.Context, b []byte) ([]byte, error)
}

// Reader is a result of a root resolver that is read before it is written, when
// all root resolvers have been called. The error of Read counts as the
// resolver's.
type Reader interface {
	Read(ctx context.Context) error
}

// Root writes a root field with the value that resolve returns.
func Root[V any](value Value[V], resolve func(ctx context.Context, variables map[string]any) (V, error)) RootField {
	return RootField{resolve: func(ctx context.Context, variables map[string]any) (result, error) {
		v, err := resolve(ctx, variables)
		if err != nil {
			return result{}, err
		}
		return result{v, func(ctx context.Context, b []byte) ([]byte, error) { return value.append(ctx, b, v) }}, nil
	}}
}

// answer is what became of a root field.
type answer struct {
	result
	ctx context.Context
	// err is what failed; after a panic it is errPanicked, and panicked the value.
	err      error
	panicked any
	// resolved says that the resolver returned a result, which could be read.
	resolved bool
	// generated is what gqlgen's execution answered, if anything. It is written
	// when all fields are answered, because writing it can fail, and gqlgen writes
	// nothing when there is no data. It belongs at this place of the buffer.
	generated graphql.Marshaler
	at        int
}

var errPanicked = errors.New("panicked")

// recover must be deferred by whatever calls code of the schema.
func (a *answer) recover() {
	if a.panicked = recover(); a.panicked != nil {
		a.err = errPanicked
	}
}

// resolve calls the resolver of a field.
func (a *answer) resolve(f *RootField, variables map[string]any) {
	defer a.recover()
	a.result, a.err = f.resolve(a.ctx, variables)
}

// read reads what the resolver returned.
func (a *answer) read() {
	defer a.recover()
	a.err = read(a.ctx, a.value)
	a.resolved = a.err == nil
}

func read(ctx context.Context, value any) error {
	if reader, ok := value.(Reader); ok {
		return reader.Read(ctx)
	}
	return nil
}

// append writes what was read. After an error, what it has written is worthless.
func (a *answer) append(b []byte, f *RootField) []byte {
	defer a.recover()
	if b, a.err = a.write(a.ctx, b); a.err == nil {
		return b
	}
	a.err = onField(a.err, "", f.alias)
	return nil
}
