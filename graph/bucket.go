package graph

import (
	"context"

	"mintburn/internal/store"
)

// Buckets counts the mints or burns of the whole list by time.
func (t transfers[T]) Buckets(ctx context.Context, interval store.Interval) ([]Bucket, error) {
	return t.page.Buckets(ctx, interval)
}

// Bucket is the GraphQL type of a time interval.
type Bucket = store.Bucket
