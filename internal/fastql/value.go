package fastql

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
)

// Value writes values of the Go type V, of a type of the schema.
type Value[V any] struct {
	append func(ctx context.Context, b []byte, v V) ([]byte, error)
	// load is set if values are loaded together; then append loads one alone.
	load func(ctx context.Context, values []V) (ItemWriter, error)
}

// loadAll loads values together if necessary, and returns their writer.
func (value Value[V]) loadAll(ctx context.Context, values []V) (ItemWriter, error) {
	if value.load != nil {
		return value.load(ctx, values)
	}
	return func(ctx context.Context, b []byte, i int) ([]byte, error) { return value.append(ctx, b, values[i]) }, nil
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

// loadSome loads the values that as accepts, and returns the writer of all values:
// other writes the rest.
func loadSome[V, U any](ctx context.Context, values []V, as func(V) (U, bool), load func(context.Context, []U) (ItemWriter, error), other ItemWriter) (ItemWriter, error) {
	var accepted []U
	places := make([]int, len(values))
	for i, v := range values {
		places[i] = -1
		if u, ok := as(v); ok {
			places[i] = len(accepted)
			accepted = append(accepted, u)
		}
	}
	write, err := load(ctx, accepted)
	if err != nil {
		return nil, onItem(err, func(item int) int { return slices.Index(places, item) })
	}
	return func(ctx context.Context, b []byte, i int) ([]byte, error) {
		if places[i] < 0 {
			return other(ctx, b, i)
		}
		return write(ctx, b, places[i])
	}, nil
}

// Implementor is one of the object types that an interface or a union, of the
// Go type I, can be.
type Implementor[I any] struct {
	// append writes a value if it is of this type, which it reports.
	append func(ctx context.Context, b []byte, v I) (_ []byte, mine bool, err error)
	// load, if set, loads the values that are of this type; other writes the
	// rest.
	load func(ctx context.Context, values []I, other ItemWriter) (ItemWriter, error)
}

// Implements returns the implementor whose objects have the Go type *T; as
// reports whether a value is one.
func Implements[I, T any](object Value[*T], as func(v I) (obj *T, ok bool)) Implementor[I] {
	m := Implementor[I]{append: func(ctx context.Context, b []byte, v I) ([]byte, bool, error) {
		obj, ok := as(v)
		if !ok {
			return b, false, nil
		}
		b, err := object.append(ctx, b, obj)
		return b, true, err
	}}
	if object.load != nil {
		m.load = func(ctx context.Context, values []I, other ItemWriter) (ItemWriter, error) {
			return loadSome(ctx, values, as, object.load, other)
		}
	}
	return m
}

// Abstract writes values of an interface or a union; nil is null.
func Abstract[I any](nonNull bool, implementors ...Implementor[I]) Value[I] {
	value := Value[I]{append: func(ctx context.Context, b []byte, v I) (_ []byte, err error) {
		if any(v) == nil {
			return appendNull(b, nonNull)
		}
		for i := range implementors {
			var mine bool
			if b, mine, err = implementors[i].append(ctx, b, v); mine {
				return b, err
			}
		}
		return nil, errUnwritten
	}}
	if !slices.ContainsFunc(implementors, func(m Implementor[I]) bool { return m.load != nil }) {
		return value
	}
	value.load = func(ctx context.Context, values []I) (ItemWriter, error) {
		write := func(ctx context.Context, b []byte, i int) ([]byte, error) { return value.append(ctx, b, values[i]) }
		for i := range implementors {
			if implementors[i].load == nil {
				continue
			}
			var err error
			if write, err = implementors[i].load(ctx, values, write); err != nil {
				return nil, err
			}
		}
		return write, nil
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

// loadedList writes lists whose items are loaded together, for all lists at one
// place of the selection.
func loadedList[E, V any](item Value[V], nonNull bool, at func(list []E, i int) V) Value[[]E] {
	return alsoAlone(func(ctx context.Context, lists [][]E) (ItemWriter, error) {
		var items []V
		first := make([]int, len(lists))
		for i, list := range lists {
			first[i] = len(items)
			for k := range list {
				items = append(items, at(list, k))
			}
		}
		write, err := item.load(ctx, items)
		if err != nil {
			return nil, inLists(err, first)
		}
		return func(ctx context.Context, b []byte, i int) ([]byte, error) {
			if lists[i] == nil && !nonNull {
				return AppendNull(b), nil
			}
			return appendItems(ctx, b, len(lists[i]), func(b []byte, k int) ([]byte, error) { return write(ctx, b, first[i]+k) })
		}, nil
	})
}

// alsoAlone returns a value whose append loads one value alone.
func alsoAlone[V any](load func(ctx context.Context, values []V) (ItemWriter, error)) Value[V] {
	return Value[V]{load: load, append: func(ctx context.Context, b []byte, v V) ([]byte, error) {
		write, err := load(ctx, []V{v})
		if err != nil {
			return nil, err
		}
		return write(ctx, b, 0)
	}}
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
