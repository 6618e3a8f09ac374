package graph

import (
	"context"

	"mintburn/internal/store/page"
)

// Buckets counts the mints or burns of the whole list by time.
func (t transfers[T]) Buckets(ctx context.Context, interval page.Interval) ([]Bucket, error) {
	return t.page.Buckets(ctx, interval, wantsBucketEnds(ctx))
}

// wantsBucketEnds reports whether first or last blocks of buckets are selected below a root field.
func wantsBucketEnds(ctx context.Context) bool { return wants(ctx, "Bucket", "fromBlock", "toBlock") }

// Bucket is the GraphQL type of a time interval.
type Bucket = page.Bucket
