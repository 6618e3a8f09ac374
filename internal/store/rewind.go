package store

import (
	"context"
	"fmt"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// cursorPosition returns the position that a cursor names, if its block
// is still canonical. Its errors have the codes INVALID_CURSOR and
// CURSOR_REORGED.
func cursorPosition(ctx context.Context, s *Snapshot, c *cursor) (int64, error) {
	if len(c.key) != 8 {
		return 0, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	pos := keyPosition(c.key)
	if !c.anchored {
		return pos, nil
	}
	number := tables.BlockOf(pos)
	header, found, err := header(ctx, s, number)
	if err != nil || found && anchorOf(header.Hash.Prefix()) == c.anchor {
		return pos, err
	}
	ancestor, known, err := commonAncestor(ctx, s, number, c.anchor)
	if err != nil {
		return 0, err
	}
	if !known {
		return 0, nft.Errorf(nft.InvalidCursor, "the cursor's block at height %d is not known here: start again without a cursor", number)
	}
	// The ancestor's last position holds no record: the walk continues right
	// after the ancestor's records, or with the last of them, in either
	// direction.
	rewound := *c
	rewound.anchor = anchorOf(ancestor.Hash.Prefix())
	rewound.key = positionKey(tables.LastIn(ancestor.Number))
	reorged := nft.Errorf(nft.CursorReorged, "the cursor's block at height %d was reorganised away: drop the records from block %d on and continue from rewindCursor", number, ancestor.Number+1)
	reorged.Details = map[string]any{"rewindCursor": rewound.String(), "retractedFromBlock": ancestor.Number + 1}
	return 0, reorged
}

// commonAncestor walks from an orphaned block to the last block of its branch
// that is still canonical. It reports false when the branch is not remembered.
func commonAncestor(ctx context.Context, s *Snapshot, number uint64, anchor uint32) (evm.Header, bool, error) {
	rows, err := s.client().OrphanedBlock.Query().Where(orphanedblock.Number(int64(number))).All(ctx)
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up orphaned blocks at %d: %w", number, err)
	}
	var parent *evm.Hash
	for _, row := range rows {
		if anchorOf(row.Hash.Prefix()) == anchor {
			parent = &row.ParentHash
		}
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := header(ctx, s, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphaned, found, err := orphanedHeader(ctx, s, orphanedblock.Hash(*parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphaned.ParentHash
	}
	return evm.Header{}, false, nil
}
