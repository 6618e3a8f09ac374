package fastql

import (
	"context"
	"slices"
)

// Implementor is one of the possible object types of an interface or a union
// with the Go type I.
type Implementor[I any] struct {
	// append writes a value of this type; for any other value it reports false.
	append func(ctx context.Context, b []byte, v I) (_ []byte, mine bool, err error)
	// load, if set, loads the values of this type. The writer that it returns
	// leaves the other values to other.
	load func(ctx context.Context, values []I, other ItemWriter) (ItemWriter, error)
}

// Implements returns the implementor whose objects have the Go type *T. as
// converts a value, and reports false for other types.
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

// Abstract returns a writer of interface or union values; nil is null.
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
