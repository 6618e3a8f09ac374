package store

import (
	"context"

	"mintburn/internal/nft"
	"mintburn/internal/store/read"
)

// RecordsBetween reads at most limit records of a kind in the positions from lo to hi, in chain
// order. Of the filter only one of the lists may be set. Nothing is said about blocks that are not indexed.
func RecordsBetween(ctx context.Context, s *read.Snapshot, kind nft.Kind, f Filter, lo, hi int64, limit int) (*RecordPage, error) {
	f.Kind, f.Partial = kind, true
	q, _, err := resolve(ctx, s, &f)
	if err != nil {
		return nil, err
	}
	if q.Lo > q.Hi {
		return pageOf(s, q, nil), nil
	}
	q.Lo, q.Hi = lo, hi
	items, _, err := transfers(ctx, s, q, lo, hi, limit, false, false)
	return pageOf(s, q, items), err
}

// Position returns the record's place among the records of its kind, in chain order.
func (t *Transfer) Position() int64 { return t.pos }
