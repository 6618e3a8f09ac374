package feed

import (
	"context"
	"errors"

	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/change"
	"mintburn/internal/store/tables"
)

// Touched returns the ranges of blocks, in order, whose records may have changed since a cursor,
// and the cursor of now. Without a cursor there are no ranges. If the log was pruned since, the
// range is all blocks. Besides internal errors it returns an [apierror.Error] with the code
// INVALID_CURSOR, REPLICA_BEHIND as [Read] does, or CHANGES_EXPIRED: the cursor is of another
// database, or this one has lost its commit.
func Touched(ctx context.Context, s *store.Snapshot, after *string) (ranges []evm.Range, now string, err error) {
	last, _, err := change.Row(ctx, s.Snapshot, change.Newest)
	if err != nil {
		return nil, "", err
	}
	now = (&place{from: last.ID, seen: markOf(last)}).text(everyFilter)
	if after == nil {
		return nil, now, nil
	}
	p, err := parse(*after, everyFilter)
	if err != nil {
		return nil, "", err
	}
	from, err := rowOf(ctx, s.Snapshot, p.seen, last)
	if errors.Is(err, errExpired) && p.from < last.ID {
		// A number is missing only if the log was pruned; otherwise its nonce differs.
		if _, found, err := change.Row(ctx, s.Snapshot, p.from); err != nil || !found {
			return []evm.Range{{To: tables.MaxBlock}}, now, err
		}
	}
	for err == nil && from.ID < last.ID {
		var e change.Effect
		if e, err = change.Since(ctx, s.Snapshot, from, last); err != nil {
			break
		}
		for _, void := range e.Voids {
			ranges = void.Blocks.Join(ranges)
		}
		for _, added := range e.Added {
			ranges = added.Join(ranges)
		}
		from = e.UpTo
	}
	return ranges, now, err
}
