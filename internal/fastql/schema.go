package fastql

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Schema is an executable schema that runs queries by plans. The plugin
// generates NewFastSchema, which creates one.
type Schema struct {
	// ExecutableSchema is gqlgen's.
	graphql.ExecutableSchema
	// RootType is the query type.
	RootType
	// Subscription is the subscription type, if there is one.
	Subscription RootType
	// Field answers a field of the query type with gqlgen's execution.
	Field func(ctx context.Context, o *graphql.OperationContext, f graphql.CollectedField) graphql.Marshaler
	// Scalars holds checks of the scalars and enums of arguments, by name, except those
	// that gqlgen defines itself. A check returns why a value is invalid.
	Scalars map[string]func(ctx context.Context, v any) error
	// Together calls each with the numbers from 0 to n-1, in any order or concurrently. It
	// returns an error if a call did, and may then skip calls that have not begun. A call
	// must read with the context that it gets. alone reports that gqlgen's execution will
	// not call root resolvers afterwards.
	Together func(ctx context.Context, n int, alone bool, each func(ctx context.Context, i int) error) error
	// Ends reports whether an error ends the operation, because the other root fields
	// would fail with it too. It is then the only error of the fields that are not
	// answered yet, and there is no data.
	Ends func(ctx context.Context, err error) bool

	// executions pools the *execution values of operations.
	executions sync.Pool
	generated  atomic.Int64
}

// RootType is a root type of a schema.
type RootType struct {
	// Object is the name of the type, and Implementors gqlgen's list of its names.
	Object       string
	Implementors []string
	// Compile compiles a selection set on the type. Without it, gqlgen's execution
	// answers everything.
	Compile func(c *Compiler, selections ast.SelectionSet) []RootField
}

// rootOf returns the root type of an operation.
func (s *Schema) rootOf(o *graphql.OperationContext) *RootType {
	if o.Operation.Operation == ast.Subscription {
		return &s.Subscription
	}
	return &s.RootType
}

// Generated returns the number of root fields that gqlgen's execution has
// answered. An operation that it answered as a whole counts as one.
func (s *Schema) Generated() int64 { return s.generated.Load() }

// Exec implements [graphql.ExecutableSchema]. A subscription is answered like a query, with
// the first value of its resolver's channel.
func (s *Schema) Exec(ctx context.Context) graphql.ResponseHandler {
	o := graphql.GetOperationContext(ctx)
	var plan []RootField
	if compile := s.rootOf(o).Compile; compile != nil {
		plan = operationOf(ctx).plans.plan(o, compile)
	}
	if plan == nil && o.Operation.Operation != ast.Subscription {
		return s.execGenerated(ctx, o)
	}
	answered := false
	return func(ctx context.Context) *graphql.Response {
		if answered {
			return nil
		}
		answered = true
		if plan == nil {
			return s.subscriptionGenerated(ctx, o)
		}
		return s.run(ctx, o, plan)
	}
}

// execution holds the buffers of one operation.
type execution struct {
	buffer  []byte
	answers []answer
}

// pooledBuffer is the largest capacity of a reused buffer, in bytes.
const pooledBuffer = 1 << 20

// run answers an operation: it calls all root resolvers, reads their results, and then
// writes them.
func (s *Schema) run(ctx context.Context, o *graphql.OperationContext, plan []RootField) *graphql.Response {
	e, ok := s.executions.Get().(*execution)
	if !ok {
		e = &execution{}
	}
	defer func() {
		clear(e.answers)
		if e.answers = e.answers[:0]; cap(e.buffer) <= pooledBuffer {
			s.executions.Put(e)
		}
	}()
	e.answers = slices.Grow(e.answers, len(plan))[:len(plan)]
	if a := s.read(ctx, o, plan, e.answers); a != nil {
		return s.end(a)
	}
	b, checked := append(e.buffer[:0], '{'), 0
	for i := range plan {
		f, a := &plan[i], &e.answers[i]
		if len(b)-checked >= growthStep {
			var err error
			if b, err = grown(ctx, b); err != nil {
				return stop(ctx, err)
			}
			checked = len(b)
		}
		b = append(b, f.key...)
		if f.constant != "" {
			b = append(b, f.constant...)
			continue
		}
		if a.resolved && a.err == nil {
			if written := a.append(b, f); a.err == nil {
				b = written
				continue
			}
		}
		if s.ends(a) {
			return s.end(a)
		}
		if o.Operation.Operation == ast.Subscription {
			return s.subscriptionGenerated(ctx, o)
		}
		a.generated, a.at = s.fieldGenerated(ctx, o, i, a), len(b)
	}
	e.buffer = append(b, '}')
	data, err := e.data(ctx)
	if err != nil {
		return stop(ctx, err)
	}
	return &graphql.Response{Data: data}
}

// read calls the root resolvers and reads their results. It returns an answer whose
// error ends the operation, or nil.
func (s *Schema) read(ctx context.Context, o *graphql.OperationContext, plan []RootField, answers []answer) *answer {
	if !slices.ContainsFunc(plan, func(f RootField) bool { return f.resolve != nil }) {
		return nil
	}
	n, beside := len(plan), besideOf(ctx)
	if beside != nil {
		n++
	}
	each := func(ctx context.Context, i int) error {
		if i == len(plan) {
			beside(ctx)
			return nil
		}
		f, a := &plan[i], &answers[i]
		if f.resolve == nil {
			return nil
		}
		a.ctx = s.fieldContext(ctx, o, f, i)
		if a.resolve(f, o.Variables); a.err == nil {
			a.read(f)
		}
		if s.ends(a) {
			return a.err
		}
		return nil
	}
	alone := !slices.ContainsFunc(plan, func(f RootField) bool { return f.resolve == nil && f.constant == "" || f.load != nil })
	if slices.ContainsFunc(plan, func(f RootField) bool { return f.load != nil }) {
		ctx = context.WithValue(ctx, togetherKey{}, s.Together)
	}
	if s.Together(ctx, n, alone, each) == nil {
		return nil
	}
	return &answers[slices.IndexFunc(answers, func(a answer) bool { return s.ends(&a) })]
}

type besideKey struct{}

// Beside returns a context for an operation that calls read together with its root
// resolvers. read is not called if gqlgen's execution answers the whole operation.
func Beside(ctx context.Context, read func(context.Context)) context.Context {
	return context.WithValue(ctx, besideKey{}, read)
}

func besideOf(ctx context.Context) func(context.Context) {
	read, _ := ctx.Value(besideKey{}).(func(context.Context))
	return read
}

// data returns the data, written by plans and by gqlgen's execution.
func (e *execution) data(ctx context.Context) ([]byte, error) {
	if !slices.ContainsFunc(e.answers, func(a answer) bool { return a.generated != nil }) {
		err := checkGrowth(ctx, len(e.buffer), cap(e.buffer))
		if cap(e.buffer) > pooledBuffer {
			// A buffer of this size is not reused, so it needs no copy.
			return e.buffer, err
		}
		return bytes.Clone(e.buffer), err
	}
	// The buffer and its copy exist at the same time.
	if err := checkGrowth(ctx, len(e.buffer), cap(e.buffer)+len(e.buffer)); err != nil {
		return nil, err
	}
	w, from := boundedWriter{ctx: ctx}, 0
	for i := range e.answers {
		if a := &e.answers[i]; a.generated != nil {
			w.append(e.buffer[from:a.at])
			a.generated.MarshalGQL(&w)
			from = a.at
		}
	}
	w.append(e.buffer[from:])
	if w.err != nil {
		return nil, w.err
	}
	return w.b, checkGrowth(ctx, len(w.b), cap(w.b))
}

// ends reports whether the error of a field ends the operation.
func (s *Schema) ends(a *answer) bool {
	if a.err == nil || errors.Is(a.err, errUnwritten) || a.panicked != nil {
		return false
	}
	return isStopped(a.err) || s.Ends(a.ctx, a.err)
}

// stop answers an operation with an error that belongs to no field.
func stop(ctx context.Context, err error) *graphql.Response {
	graphql.AddError(ctx, err)
	return &graphql.Response{Data: []byte("null")}
}

// end answers an operation with the error of a field alone.
func (s *Schema) end(a *answer) *graphql.Response {
	graphql.AddError(a.ctx, graphql.AddFieldLocationToError(a.ctx, a.err))
	return &graphql.Response{Data: []byte("null")}
}

// fieldContext returns the context for the resolver of the i-th root field.
func (s *Schema) fieldContext(ctx context.Context, o *graphql.OperationContext, f *RootField, i int) context.Context {
	var field graphql.CollectedField
	root := s.rootOf(o)
	if f.merged {
		field = graphql.CollectFields(o, o.Operation.SelectionSet, root.Implementors)[i]
	} else {
		field.Field, field.Selections = f.field, f.field.SelectionSet
	}
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: root.Object, Field: field, Args: noArguments, IsMethod: true, IsResolver: true})
}

// noArguments marks a field context whose arguments have been read already.
var noArguments = map[string]any{}

// RootField is a compiled field of a root type. Without resolve and constant,
// it is left to gqlgen.
type RootField struct {
	alias, key string
	// constant, if not empty, is the JSON value of the field.
	constant string
	// field is the first field with this response key; merged reports that there are
	// several.
	field  *ast.Field
	merged bool
	// resolve calls the resolver, and write writes its result. load, if set, loads the
	// batch fields below the result, and returns the writer to use instead of write.
	resolve func(ctx context.Context, variables map[string]any) (any, error)
	load    func(ctx context.Context, resolved any) (ItemWriter, error)
	write   func(ctx context.Context, b []byte, resolved any) ([]byte, error)
}

// Reader is a root resolver's result that must be read before it is written. An error
// of Read counts as the resolver's.
type Reader interface {
	Read(ctx context.Context) error
}

// Root returns a root field that writes the value of resolve.
func Root[V any](value Value[V], resolve func(ctx context.Context, variables map[string]any) (V, error)) RootField {
	f := RootField{
		resolve: func(ctx context.Context, variables map[string]any) (any, error) { return resolve(ctx, variables) },
		write: func(ctx context.Context, b []byte, resolved any) ([]byte, error) {
			// The assertion fails only for a nil interface value.
			v, _ := resolved.(V)
			return value.append(ctx, b, v)
		},
	}
	if value.load != nil {
		f.load = func(ctx context.Context, resolved any) (ItemWriter, error) {
			v, _ := resolved.(V)
			return value.load(ctx, []V{v})
		}
	}
	return f
}

// answer is the result of a root field.
type answer struct {
	ctx context.Context
	// value is the resolver's result.
	value any
	// err is the error; after a panic it is errPanicked, and panicked is the cause.
	err      error
	panicked any
	// resolved reports that the resolver's result was read; loaded, if set, writes it.
	resolved bool
	loaded   ItemWriter
	// generated is the answer of gqlgen's execution, if any. It belongs at offset at of
	// the buffer. It is written after all fields are answered, because an error may end the
	// operation before.
	generated graphql.Marshaler
	at        int
}

var errPanicked = errors.New("panicked")

// recover records a panic as the answer's error. Every caller of the schema's code
// must defer it.
func (a *answer) recover() {
	if a.panicked = recover(); a.panicked != nil {
		a.err = errPanicked
	}
}

// resolve calls the resolver of a root field.
func (a *answer) resolve(f *RootField, variables map[string]any) {
	defer a.recover()
	a.value, a.err = f.resolve(a.ctx, variables)
}

// read reads the resolver's result, and the batch fields below it.
func (a *answer) read(f *RootField) {
	defer a.recover()
	a.err = read(a.ctx, a.value)
	if a.resolved = a.err == nil; !a.resolved || f.load == nil {
		return
	}
	if a.loaded, a.err = f.load(a.ctx, a.value); a.err != nil {
		a.err = onField(a.err, "", f.alias)
	}
}

func read(ctx context.Context, value any) error {
	if reader, ok := value.(Reader); ok {
		return reader.Read(ctx)
	}
	return nil
}

// append writes the result. After an error, the written bytes are invalid.
func (a *answer) append(b []byte, f *RootField) []byte {
	defer a.recover()
	if a.loaded != nil {
		b, a.err = a.loaded(a.ctx, b, 0)
	} else {
		b, a.err = f.write(a.ctx, b, a.value)
	}
	if a.err == nil {
		return b
	}
	a.err = onField(a.err, "", f.alias)
	return nil
}
