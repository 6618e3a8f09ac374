package fastql

import (
	"context"
	"errors"
)

// Selection is a compiled selection set on objects of the Go type *T: the writers
// of its fields, in the order of the response. It never changes.
type Selection[T any] struct {
	// object is the name of the object type.
	object string
	fields []FieldWriter[T]
	// batched reports that a field, here or below, has [FieldWriter.Batch].
	batched bool
}

// FieldWriter writes one field of an object. One of its functions is set.
type FieldWriter[T any] struct {
	// alias is the response key, and key the text before the value:
	// `"alias":` or `,"alias":`.
	alias, key string
	// Append writes a value that the object holds.
	Append func(b []byte, obj *T) []byte
	// Resolve reads and writes a value, or returns an error.
	Resolve func(ctx context.Context, b []byte, obj *T) ([]byte, error)
	// Batch loads the values of many objects at once, and returns their writer. beside
	// reports that other fields may be loaded at the same time.
	Batch  func(ctx context.Context, objs []*T) (ItemWriter, error)
	beside bool
}

// ItemWriter writes the i-th of several values that were loaded together.
type ItemWriter func(ctx context.Context, b []byte, i int) ([]byte, error)

// Field returns a writer for a field whose value get returns.
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

// write writes an object. Its batch fields come from loaded, in which it is the i-th
// object. After an error, the written bytes are invalid.
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

// Value writes values of the Go type V, for one type of the schema.
type Value[V any] struct {
	append func(ctx context.Context, b []byte, v V) ([]byte, error)
	// load, if set, loads values together. append then writes only those values of an
	// abstract type that are not loaded.
	load func(ctx context.Context, values []V) (ItemWriter, error)
}

// Leaf returns a writer of scalars or enum values.
func Leaf[V any](append func(b []byte, v V) []byte) Value[V] {
	return Value[V]{append: func(_ context.Context, b []byte, v V) ([]byte, error) { return append(b, v), nil }}
}

// Object returns a writer of objects; nil is null.
func Object[T any](s Selection[T], nonNull bool) Value[*T] {
	value := Value[*T]{append: func(ctx context.Context, b []byte, obj *T) ([]byte, error) {
		if obj == nil {
			return appendNull(b, nonNull)
		}
		return s.write(ctx, b, obj, nil, 0)
	}}
	if s.batched {
		null := func(_ context.Context, b []byte, _ int) ([]byte, error) { return appendNull(b, nonNull) }
		value.load = func(ctx context.Context, objs []*T) (ItemWriter, error) {
			return loadSome(ctx, objs, func(obj *T) (*T, bool) { return obj, obj != nil }, s.load, null)
		}
	}
	return value
}

// List returns a writer of lists of values that are not structs. A nil list is null
// where the schema allows it, else empty.
func List[V any](item Value[V], nonNull bool) Value[[]V] {
	return listOf(item, nonNull, func(list []V, i int) V { return list[i] })
}

// StructList is [List] for lists of structs.
func StructList[T any](item Value[*T], nonNull bool) Value[[]T] {
	return listOf(item, nonNull, func(list []T, i int) *T { return &list[i] })
}

// listOf returns a writer of lists; at returns the i-th item of a list.
func listOf[E, V any](item Value[V], nonNull bool, at func(list []E, i int) V) Value[[]E] {
	if item.load != nil {
		return loadedList(item, nonNull, at)
	}
	return Value[[]E]{append: func(ctx context.Context, b []byte, list []E) ([]byte, error) {
		return appendItems(ctx, b, list, nonNull, func(b []byte, i int) ([]byte, error) { return item.append(ctx, b, at(list, i)) })
	}}
}

// appendItems appends a list, whose i-th item item appends.
func appendItems[E any](ctx context.Context, b []byte, list []E, nonNull bool, item func(b []byte, i int) ([]byte, error)) (_ []byte, err error) {
	if list == nil && !nonNull {
		return AppendNull(b), nil
	}
	b = append(b, '[')
	checked := len(b)
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = item(b, i); err == nil && len(b)-checked >= growthStep {
			b, err = grown(ctx, b)
			checked = len(b)
		}
		if err != nil {
			return nil, onIndex(err, i)
		}
	}
	return append(b, ']'), nil
}

// AppendNull appends null.
func AppendNull(b []byte) []byte { return append(b, "null"...) }

// appendNull appends null where the schema allows it.
func appendNull(b []byte, nonNull bool) ([]byte, error) {
	if nonNull {
		return nil, errUnwritten
	}
	return AppendNull(b), nil
}

// AppendName appends the name of an enum value, which needs no escapes.
func AppendName[T ~string](b []byte, name T) []byte {
	return append(append(append(b, '"'), name...), '"')
}

// AppendString appends a string with gqlgen's escapes. It copies U+007F and everything
// above unchanged, even invalid UTF-8.
func AppendString(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	if len(text) > growthStep {
		b = reserve(b, len(text)+2)
	}
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		b = append(b, text[start:i]...)
		start = i + 1
		switch c {
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '\\', '"':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(b, text[start:]...), '"')
}

// Growth bounds the bytes that an operation reads and writes. An error ends the
// operation, as its only error.
type Growth = interface {
	// Grow is called regularly while an answer is written, and at its end, with the
	// answer's size and the next capacity of its buffer.
	Grow(size, capacity int) error
	// Hold reserves memory for n bytes before resolvers read them, and returns 0. If
	// they do not fit, it reserves nothing and returns the excess.
	Hold(n int64) (excess int64, err error)
}

// operation is the context of an operation. With its own type it takes one allocation.
type operation struct {
	context.Context
	plans  *Plans
	growth Growth
}

type operationKey struct{}

// Value implements [context.Context].
func (o *operation) Value(key any) any {
	if key == (operationKey{}) {
		return o
	}
	return o.Context.Value(key)
}

// WithOperation returns a context for an operation of the document to which plans
// belongs, whose answer g bounds unless it is nil.
func WithOperation(ctx context.Context, plans *Plans, g Growth) context.Context {
	return &operation{ctx, plans, g}
}

// operationOf returns the operation of a context, or an empty one.
func operationOf(ctx context.Context) *operation {
	if o, ok := ctx.Value(operationKey{}).(*operation); ok {
		return o
	}
	return &operation{}
}

// GrowthOf returns the [Growth] of a context's operation, or nil.
func GrowthOf(ctx context.Context) Growth { return operationOf(ctx).growth }

// stopped is an error that ends an operation while its answer is written.
type stopped struct{ err error }

func (s stopped) Error() string { return s.err.Error() }
func (s stopped) Unwrap() error { return s.err }

// isStopped reports whether an error ends an operation.
func isStopped(err error) bool {
	var s stopped
	return errors.As(err, &s)
}

// growthStep is the number of bytes that may be written between two calls of
// [Growth.Grow], plus the length of one value.
const growthStep = 32 << 10

// grown checks the answer in b, and makes room for another step.
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

// reserve makes room in b for n more bytes, and for another step after them.
func reserve(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	// With room for more than a step, [grown] does not double it again.
	return append(make([]byte, 0, max(2*cap(b), len(b)+n+3*growthStep)), b...)
}

// checkGrowth calls [Growth.Grow], if the context has a [Growth].
func checkGrowth(ctx context.Context, size, capacity int) error {
	if g := GrowthOf(ctx); g != nil {
		if err := g.Grow(size, capacity); err != nil {
			return stopped{err}
		}
	}
	return nil
}
