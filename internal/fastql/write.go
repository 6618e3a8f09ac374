package fastql

import (
	"context"
	"errors"
	"math"
	"strconv"

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
	// Batch loads the values of many objects at once, and returns their writer. beside
	// says that other fields may be loaded at the same time.
	Batch  func(ctx context.Context, objs []*T) (ItemWriter, error)
	beside bool
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

// Value writes values of the Go type V, of a type of the schema.
type Value[V any] struct {
	append func(ctx context.Context, b []byte, v V) ([]byte, error)
	// load is set if values are loaded together; then append loads one alone.
	load func(ctx context.Context, values []V) (ItemWriter, error)
}

// Leaf writes scalars and enum values.
func Leaf[V any](append func(ctx context.Context, b []byte, v V) ([]byte, error)) Value[V] {
	return Value[V]{append: append}
}

// Object writes objects; nil is null.
func Object[T any](s Selection[T], nonNull bool) Value[*T] {
	value := Value[*T]{append: func(ctx context.Context, b []byte, obj *T) ([]byte, error) {
		if obj == nil {
			return appendNull(b, nonNull)
		}
		return s.append(ctx, b, obj)
	}}
	if s.batched {
		null := func(_ context.Context, b []byte, _ int) ([]byte, error) { return appendNull(b, nonNull) }
		value.load = func(ctx context.Context, objs []*T) (ItemWriter, error) {
			return loadSome(ctx, objs, func(obj *T) (*T, bool) { return obj, obj != nil }, s.load, null)
		}
	}
	return value
}

// List writes lists of values that are not structs; a nil list is null where
// the schema allows it, else empty.
func List[V any](item Value[V], nonNull bool) Value[[]V] {
	return listOf(item, nonNull, func(list []V, i int) V { return list[i] })
}

// StructList is [List] for lists of structs.
func StructList[T any](item Value[*T], nonNull bool) Value[[]T] {
	return listOf(item, nonNull, func(list []T, i int) *T { return &list[i] })
}

// listOf writes lists whose items at returns.
func listOf[E, V any](item Value[V], nonNull bool, at func(list []E, i int) V) Value[[]E] {
	if item.load != nil {
		return loadedList(item, nonNull, at)
	}
	return Value[[]E]{append: func(ctx context.Context, b []byte, list []E) ([]byte, error) {
		if list == nil && !nonNull {
			return AppendNull(b), nil
		}
		return appendItems(ctx, b, len(list), func(b []byte, i int) ([]byte, error) { return item.append(ctx, b, at(list, i)) })
	}}
}

// appendItems appends a list of n items.
func appendItems(ctx context.Context, b []byte, n int, item func(b []byte, i int) ([]byte, error)) (_ []byte, err error) {
	b = append(b, '[')
	checked := len(b)
	for i := range n {
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

// AppendFloat appends a float as gqlgen does. One that is not finite is an
// error there.
func AppendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errUnwritten
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64), nil
}

// buffer is an [io.Writer] that appends.
type buffer []byte

func (w *buffer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// AppendMarshaler appends a value that can only write itself. nonNull says that
// the schema forbids null, which gqlgen's marshal functions return for some
// values.
func AppendMarshaler(b []byte, m graphql.Marshaler, nonNull bool) ([]byte, error) {
	if m == graphql.Null {
		return appendNull(b, nonNull)
	}
	w := buffer(b)
	m.MarshalGQL(&w)
	return w, nil
}

// AppendContextMarshaler is [AppendMarshaler] for a value that needs a context.
func AppendContextMarshaler(ctx context.Context, b []byte, m graphql.ContextMarshaler, nonNull bool) ([]byte, error) {
	if m == graphql.Null {
		return appendNull(b, nonNull)
	}
	w := buffer(b)
	if err := m.MarshalGQLContext(ctx, &w); err != nil {
		return nil, errUnwritten
	}
	return w, nil
}

// AppendString appends a string with gqlgen's escapes. U+007F and everything
// above it, valid or not, stays as it is.
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

// Growth bounds what an operation reads and writes. An error ends the operation, as
// its only error.
type Growth = interface {
	// Grow is called regularly while an answer is written, and at its end, with its
	// size and the next capacity of its buffer.
	Grow(size, capacity int) error
	// Hold takes memory for n bytes before resolvers read them, and returns 0. If they
	// do not fit, it takes none and returns how many are too many.
	Hold(n int64) (excess int64, err error)
}

type growthKey struct{}

// WithGrowth returns a context whose operation g bounds.
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
