package cursor

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// commonAncestor returns the last canonical block of an orphaned block's branch. It returns
// false if the branch is not stored.
func commonAncestor(ctx context.Context, s *read.Snapshot, number uint64, anchor uint32) (evm.Header, bool, error) {
	rows, err := s.Client().OrphanedBlock.Query().Where(orphanedblock.Number(int64(number))).All(ctx)
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up orphaned blocks at %d: %w", number, err)
	}
	var parent *evm.Hash
	for _, row := range rows {
		if AnchorOf(row.Hash.Prefix()) == anchor {
			parent = &row.ParentHash
		}
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := read.Header(ctx, s, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphaned, found, err := read.OrphanedHeader(ctx, s, orphanedblock.Hash(*parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphaned.ParentHash
	}
	return evm.Header{}, false, nil
}

// RequireCanonical returns an error if the block of an anchored cursor is no longer
// canonical. c may be nil. The errors have the codes INVALID_CURSOR, CURSOR_REORGED and
// REPLICA_BEHIND.
func RequireCanonical(ctx context.Context, s *read.Snapshot, c *Cursor) error {
	if c == nil || !c.Anchored {
		return nil
	}
	number := tables.BlockOf(PositionOf(c.Key))
	var canonical ent.Block
	found, err := s.Cached(ctx, query.Key{Name: "anchor"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.ID(int64(number))).Select(block.FieldHashPrefix).Selector()
	}, []any{int64(number)}, func(row *database.Row) error { return canonical.ReadRow(row, block.FieldHashPrefix) })
	if err != nil || found && AnchorOf(canonical.HashPrefix) == c.Anchor {
		return database.Wrap(err, "reading block %d", number)
	}
	ancestor, known, err := commonAncestor(ctx, s, number, c.Anchor)
	if err != nil {
		return err
	}
	if !known {
		return read.Behind(ctx, s, apierror.Errorf(apierror.InvalidCursor, "the cursor's block at height %d is not known here: start again without a cursor", number))
	}
	// No record has the ancestor's last position, so the rewound cursor works in
	// both directions: paging continues right after the ancestor's records, or
	// with the last of them.
	rewound := *c
	rewound.Anchor = AnchorOf(ancestor.Hash.Prefix())
	rewound.Key = PositionKey(tables.LastIn(ancestor.Number))
	reorged := apierror.Errorf(apierror.CursorReorged, "the cursor's block at height %d was orphaned by a reorg: drop the records from block %d on and continue from rewindCursor", number, ancestor.Number+1)
	reorged.Details = map[string]any{"rewindCursor": rewound.String(), "retractedFromBlock": ancestor.Number + 1}
	return reorged
}

// Behind returns the error with the code REPLICA_BEHIND if a standby does not know the block of the
// cursor, otherwise err. c may be nil, and of any list.
func Behind(ctx context.Context, s *read.Snapshot, c *Cursor, err error) error {
	var known *apierror.Error
	if c.Positioned() == nil && errors.As(RequireCanonical(ctx, s, c), &known) && known.Code == apierror.ReplicaBehind {
		return known
	}
	return err
}
