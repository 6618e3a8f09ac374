package fastql

import "context"

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
	return Value[[]E]{append: func(ctx context.Context, b []byte, list []E) (_ []byte, err error) {
		if list == nil && !nonNull {
			return AppendNull(b), nil
		}
		b = append(b, '[')
		for i := range list {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = item.append(ctx, b, at(list, i)); err != nil {
				return nil, onIndex(err, i)
			}
		}
		return append(b, ']'), nil
	}}
}

// loadedList writes lists whose items are loaded together: those of all lists
// that are at one place of the selection.
func loadedList[E, V any](item Value[V], nonNull bool, at func(list []E, i int) V) Value[[]E] {
	load := func(ctx context.Context, lists [][]E) (ItemWriter, error) {
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
		return func(ctx context.Context, b []byte, i int) (_ []byte, err error) {
			if lists[i] == nil && !nonNull {
				return AppendNull(b), nil
			}
			b = append(b, '[')
			for k := range lists[i] {
				if k > 0 {
					b = append(b, ',')
				}
				if b, err = write(ctx, b, first[i]+k); err != nil {
					return nil, onIndex(err, k)
				}
			}
			return append(b, ']'), nil
		}, nil
	}
	return Value[[]E]{load: load, append: func(ctx context.Context, b []byte, list []E) ([]byte, error) {
		write, err := load(ctx, [][]E{list})
		if err != nil {
			return nil, err
		}
		return write(ctx, b, 0)
	}}
}
