package fastql

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
)

// Selection is a compiled selection set on objects of the Go type *T: the writers
// of its fields, in the order of the response. It never changes, and holds nothing
// of its document.
type Selection[T any] struct {
	// object is the type that it is on.
	object string
	fields []FieldWriter[T]
	// batched says that a field, here or below, has [FieldWriter.Batch].
	batched bool
}

// FieldWriter writes one field of an object by the one function that is set.
// Without one, gqlgen answers the root field.
type FieldWriter[T any] struct {
	// alias is the response key, and key the text before the value:
	// `"alias":` or `,"alias":`.
	alias, key string
	// Append writes a value that is known already.
	Append func(b []byte, obj *T) []byte
	// Resolve reads and writes a value, or returns an error.
	Resolve func(ctx context.Context, b []byte, obj *T) ([]byte, error)
	// Batch loads the values of many objects at once, and returns their writer.
	Batch func(ctx context.Context, objs []*T) (ItemWriter, error)
}

// ItemWriter writes the i-th of the values that were loaded together.
type ItemWriter func(ctx context.Context, b []byte, i int) ([]byte, error)

// unknown reports whether a field is left to gqlgen.
func (f *FieldWriter[T]) unknown() bool { return f.Append == nil && f.Resolve == nil && f.Batch == nil }

// Field writes a field with a value that get returns for each object.
func Field[T, V any](value Value[V], get func(ctx context.Context, obj *T) (V, error)) FieldWriter[T] {
	if value.load == nil {
		return FieldWriter[T]{Resolve: func(ctx context.Context, b []byte, obj *T) ([]byte, error) {
			v, err := get(ctx, obj)
			if err != nil {
				return nil, err
			}
			return value.append(ctx, b, v)
		}}
	}
	return FieldWriter[T]{Batch: func(ctx context.Context, objs []*T) (ItemWriter, error) {
		values := make([]V, len(objs))
		for i, obj := range objs {
			var err error
			if values[i], err = get(ctx, obj); err != nil {
				return nil, onItem(err, func(int) int { return i })
			}
		}
		return value.load(ctx, values)
	}}
}

// BatchField writes a field with values that get returns for many objects at
// once, one for each object and in their order.
func BatchField[T, V any](value Value[V], get func(ctx context.Context, objs []*T) ([]V, error)) FieldWriter[T] {
	return FieldWriter[T]{Batch: func(ctx context.Context, objs []*T) (ItemWriter, error) {
		if len(objs) == 0 {
			return nil, nil
		}
		values, err := get(ctx, objs)
		some, ok := err.(graphql.BatchErrors) //nolint:errorlint // gqlgen does not unwrap it either.
		switch {
		case ok && len(values) == len(objs) && len(some.Errors()) == len(objs):
			return nil, batchFailedForSome(err, some.Errors(), values)
		case ok, err == nil && len(values) != len(objs):
			return nil, errUnwritten
		case err != nil:
			return nil, batchFailed(err)
		}
		return value.loadAll(ctx, values)
	}}
}

// append writes an object. After an error, the written bytes are invalid.
func (s *Selection[T]) append(ctx context.Context, b []byte, obj *T) ([]byte, error) {
	if !s.batched {
		return s.write(ctx, b, obj, nil, 0)
	}
	write, err := s.load(ctx, []*T{obj})
	if err != nil {
		return nil, err
	}
	return write(ctx, b, 0)
}

// load loads the values of the batch fields of many objects.
func (s *Selection[T]) load(ctx context.Context, objs []*T) (ItemWriter, error) {
	loaded := make([]ItemWriter, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		if f.Batch == nil {
			continue
		}
		var err error
		if loaded[i], err = f.Batch(ctx, objs); err != nil {
			return nil, onField(err, s.object, f.alias)
		}
	}
	return func(ctx context.Context, b []byte, i int) ([]byte, error) { return s.write(ctx, b, objs[i], loaded, i) }, nil
}

// write writes an object, the i-th of those that the batch fields were loaded
// for.
func (s *Selection[T]) write(ctx context.Context, b []byte, obj *T, loaded []ItemWriter, i int) (_ []byte, err error) {
	b = append(b, '{')
	checked := len(b)
	for k := range s.fields {
		f := &s.fields[k]
		b = append(b, f.key...)
		switch {
		case f.Append != nil:
			b = f.Append(b, obj)
		case f.Resolve != nil:
			b, err = f.Resolve(ctx, b, obj)
		default:
			b, err = loaded[k](ctx, b, i)
		}
		if err == nil && len(b)-checked >= growthStep {
			b, err = grown(ctx, b)
			checked = len(b)
		}
		if err != nil {
			return nil, onField(err, s.object, f.alias)
		}
	}
	return append(b, '}'), nil
}

// Growth bounds the answer of an operation.
type Growth = interface {
	// Grow is called regularly while an answer is written, and at its end, with its
	// size and the next capacity of its buffer. An error ends the operation.
	Grow(size, capacity int) error
}

type growthKey struct{}

// WithGrowth returns a context whose operation's answer g bounds.
func WithGrowth(ctx context.Context, g Growth) context.Context {
	return context.WithValue(ctx, growthKey{}, g)
}

// GrowthOf returns the growth of the operation of a context, or nil.
func GrowthOf(ctx context.Context) Growth {
	g, _ := ctx.Value(growthKey{}).(Growth)
	return g
}

// stopped is an error that ends an operation while its answer is written.
type stopped struct{ err error }

func (s stopped) Error() string { return s.err.Error() }
func (s stopped) Unwrap() error { return s.err }

// isStopped reports whether an error ends an operation.
func isStopped(err error) bool {
	var s stopped
	return errors.As(err, &s)
}

// growthStep is how many bytes may be written between two calls of
// [Growth.Grow]; the longest value comes on top.
const growthStep = 32 << 10

// grown checks the answer in b, and gives it room for another step.
func grown(ctx context.Context, b []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, stopped{err}
	}
	capacity := cap(b)
	if capacity-len(b) < 2*growthStep {
		// Doubling copies less than append, which adds a quarter at this size.
		capacity = max(2*capacity, len(b)+2*growthStep)
	}
	if err := checkGrowth(ctx, len(b), capacity); err != nil {
		return nil, err
	}
	if capacity > cap(b) {
		b = append(make([]byte, 0, capacity), b...)
	}
	return b, nil
}

// reserve gives b room for n more bytes, and for another step after them.
func reserve(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	// With room for more than a step, [grown] does not double it again.
	return append(make([]byte, 0, max(2*cap(b), len(b)+n+3*growthStep)), b...)
}

// checkGrowth calls the growth of an operation.
func checkGrowth(ctx context.Context, size, capacity int) error {
	if g := GrowthOf(ctx); g != nil {
		if err := g.Grow(size, capacity); err != nil {
			return stopped{err}
		}
	}
	return nil
}

// boundedWriter collects an answer. After an error it drops everything, because
// marshalers ignore the error.
type boundedWriter struct {
	ctx     context.Context
	b       []byte
	checked int
	err     error
}

// Write implements [io.Writer].
func (w *boundedWriter) Write(p []byte) (int, error) {
	w.append(p)
	return len(p), w.err
}

// append appends p, a step at a time.
func (w *boundedWriter) append(p []byte) {
	for len(p) > 0 && w.err == nil {
		n := min(len(p), growthStep)
		if w.b, p = append(w.b, p[:n]...), p[n:]; len(w.b)-w.checked < growthStep {
			continue
		}
		if w.b, w.err = grown(w.ctx, w.b); w.err == nil {
			w.checked = len(w.b)
		}
	}
}
