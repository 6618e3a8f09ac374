package fastql

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
)

// BatchField returns the writer of a batch field. get returns one value, and with
// [graphql.BatchErrors] one error, for each object, in their order.
func BatchField[T, V any](value Value[V], get func(ctx context.Context, objs []*T) ([]V, error)) FieldWriter[T] {
	return FieldWriter[T]{beside: true, Batch: func(ctx context.Context, objs []*T) (ItemWriter, error) {
		if len(objs) == 0 {
			return nil, nil
		}
		values, err := get(ctx, objs)
		some, ok := err.(graphql.BatchErrors) //nolint:errorlint // gqlgen does not unwrap it either.
		switch {
		case ok:
			return nil, batchFailedForSome(err, some.Errors(), values)
		case err != nil:
			return nil, batchFailed(err)
		}
		return value.loadAll(ctx, values)
	}}
}

// load loads the batch fields of many objects with [Schema.Together]. It loads the
// batch fields below other fields afterwards, one by one, because the methods of those
// fields may wait for each other.
func (s *Selection[T]) load(ctx context.Context, objs []*T) (ItemWriter, error) {
	loaded, beside := make([]ItemWriter, len(s.fields)), make([]int, 0, len(s.fields))
	load := func(ctx context.Context, i int) (err error) {
		if loaded[i], err = s.fields[i].Batch(ctx, objs); err != nil {
			err = onField(err, s.object, s.fields[i].alias)
		}
		return err
	}
	for i := range s.fields {
		if s.fields[i].beside {
			beside = append(beside, i)
		}
	}
	if err := loadTogether(ctx, len(beside), func(ctx context.Context, i int) error { return load(ctx, beside[i]) }); err != nil {
		return nil, err
	}
	for i := range s.fields {
		if s.fields[i].Batch == nil || s.fields[i].beside {
			continue
		}
		if err := load(ctx, i); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, b []byte, i int) ([]byte, error) { return s.write(ctx, b, objs[i], loaded, i) }, nil
}

// loadAll returns the writer of values. It loads them together if their type needs it.
func (value Value[V]) loadAll(ctx context.Context, values []V) (ItemWriter, error) {
	if value.load != nil {
		return value.load(ctx, values)
	}
	return func(ctx context.Context, b []byte, i int) ([]byte, error) { return value.append(ctx, b, values[i]) }, nil
}

// loadSome loads the values that as accepts. It returns the writer of all values, which
// leaves the rest to other.
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

// loadedList returns a writer of lists that loads the items of all lists at one
// place of the selection together.
func loadedList[E, V any](item Value[V], nonNull bool, at func(list []E, i int) V) Value[[]E] {
	return Value[[]E]{load: func(ctx context.Context, lists [][]E) (ItemWriter, error) {
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
			return appendItems(ctx, b, lists[i], nonNull, func(b []byte, k int) ([]byte, error) { return write(ctx, b, first[i]+k) })
		}, nil
	}}
}

type togetherKey struct{}

// loadTogether calls load with the numbers from 0 to n-1 by [Schema.Together], which the
// context of a root field with batch fields has.
func loadTogether(ctx context.Context, n int, load func(ctx context.Context, i int) error) error {
	together := ctx.Value(togetherKey{}).(func(context.Context, int, bool, func(context.Context, int) error) error)
	return together(ctx, n, false, load)
}
