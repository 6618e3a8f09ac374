package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// subject is a token or a collection. Its fields that read data are batch fields: gqlgen
// resolves them together for all objects at the same place in a selection.
type subject interface {
	holder
	// AsSubject returns the subject of the records.
	AsSubject() *store.Subject
}

// holder is an object with pages of mints and burns.
type holder interface {
	comparable
	// narrow restricts a filter to the object's records.
	narrow(f store.Filter) store.Filter
}

// present resolves a batch field for the non-null objects, because gqlgen's executor also
// passes the nulls of a list to resolvers.
func present[T comparable, V any](objs []T, resolve func(objs []T) ([]V, error)) ([]V, error) {
	var none T
	if !slices.Contains(objs, none) {
		return resolve(objs)
	}
	return distinct(objs, func(obj T) *T {
		if obj == none {
			return nil
		}
		return &obj
	}, resolve)
}

// distinct resolves a batch field once for the objects with a key. It leaves out those whose
// key is nil.
func distinct[T any, K comparable, V any](objs []T, key func(obj T) *K, resolve func(objs []T) ([]V, error)) ([]V, error) {
	var some []T
	seen, places := map[K]int{}, make([]int, len(objs))
	for i, obj := range objs {
		k := key(obj)
		if places[i] = -1; k == nil {
			continue
		}
		place, known := seen[*k]
		if !known {
			place = len(some)
			seen[*k], some = place, append(some, obj)
		}
		places[i] = place
	}
	found, err := resolve(some)
	failed, ok := err.(graphql.BatchErrors) //nolint:errorlint // gqlgen does not unwrap it either.
	if err != nil && !ok {
		return nil, err
	}
	values, errs := make([]V, len(objs)), make([]error, len(objs))
	for i, place := range places {
		if place < 0 {
			continue
		}
		if values[i] = found[place]; ok {
			errs[i] = failed.Errors()[place]
		}
	}
	return each(values, errs)
}

func subjects[T subject](objs []T) []*store.Subject {
	list := make([]*store.Subject, len(objs))
	for i, obj := range objs {
		list[i] = obj.AsSubject()
	}
	return list
}

// recordOf returns the first or the last mint or burn of each object, nil without one.
func recordOf[T subject, R any](ctx context.Context, objs []T, kind nft.Kind, last bool, at func(page *store.RecordPage, i int) R) ([]*R, error) {
	return present(objs, func(objs []T) ([]*R, error) {
		page, items, err := snapshotOf(ctx).Subjects().RecordOf(ctx, kind, last, subjects(objs))
		if err != nil {
			return nil, err
		}
		records := make([]*R, len(objs))
		for i, item := range items {
			if item >= 0 {
				record := at(page, item)
				records[i] = &record
			}
		}
		return records, nil
	})
}

// amountOf returns an amount for each object, at the end of a block.
func amountOf[T subject](ctx context.Context, objs []T, q store.Quantity, atBlock *evm.Long) ([]*evm.Uint256, error) {
	return present(objs, func(objs []T) ([]*evm.Uint256, error) {
		amounts, errs, err := snapshotOf(ctx).Subjects().Amounts(ctx, q, subjects(objs), atBlock)
		if err != nil {
			return nil, err
		}
		return each(amounts, errs)
	})
}

// pageOf reads the page of each object's mints or burns.
func pageOf[T holder, C any](ctx context.Context, objs []T, f store.Filter, args page.Args, connection func(*store.RecordPage) *C) ([]*C, error) {
	return present(objs, func(objs []T) ([]*C, error) {
		filters := make([]store.Filter, len(objs))
		for i, obj := range objs {
			filters[i] = obj.narrow(f)
		}
		pages, errs := snapshotOf(ctx).Pages(filters, args)
		return readEach(ctx, len(objs), func(ctx context.Context, i int) (*C, error) {
			if errs[i] != nil {
				return nil, errs[i]
			}
			return connection(pages[i]), pages[i].Read(ctx, selectedOf("MintConnection", "BurnConnection"))
		})
	})
}

// readEach reads a page for each of n objects, on PostgreSQL in one round trip. Each page may
// have its own error, unless the error ends the operation.
func readEach[C any](ctx context.Context, n int, read func(ctx context.Context, i int) (*C, error)) ([]*C, error) {
	pages, errs := make([]*C, n), make([]error, n)
	err := snapshotOf(ctx).Tx.Together(ctx, n, func(ctx context.Context, i int) error {
		page, err := read(ctx, i)
		switch {
		case err == nil:
			pages[i] = page
		case endsOperation(ctx, err):
			return err
		default:
			errs[i] = err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return each(pages, errs)
}

// each returns the values of a batch field with their errors, if there are any.
func each[V any](values []V, errs []error) ([]V, error) {
	for _, err := range errs {
		if err != nil {
			return values, graphql.BatchErrorList(errs)
		}
	}
	return values, nil
}

// indexedOf returns the indexed ranges for each object.
func indexedOf[T any](ctx context.Context, objs []T) ([][]evm.Range, error) {
	ranges, err := snapshotOf(ctx).Indexed(ctx)
	lists := make([][]evm.Range, len(objs))
	for i := range lists {
		lists[i] = ranges
	}
	return lists, err
}
